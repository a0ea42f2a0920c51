"""The script that streamlit runs after each change in the browser."""

import sys

from adjudge.explorer.page import page

page(tuple(sys.argv[2:]), sys.argv[1])
