"""Gates, for scripts and CI: figures that must reach a value, and figures that must not get worse from run to run."""
