"""Files that Adjudge writes: its own form per evaluation, and forms of annotation tools."""
