"""The explorer's page without a browser, as several tests look at it."""


def page_of(*paths: str, **address: str):
    """The page for files, with what stands in the address."""

    def script(paths):
        from karat.app.page import page

        page(paths)

    from streamlit.testing.v1 import AppTest

    test = AppTest.from_function(script, args=(paths,), default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def said(page) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.error, *page.warning)).replace("\\", "")
