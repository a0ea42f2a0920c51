"""Gates, for scripts and CI: metrics that must reach a value, and metrics that must not get worse from run to run."""
