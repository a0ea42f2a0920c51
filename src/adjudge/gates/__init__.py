"""Gates for scripts and CI: metrics that must reach a value, or must not get worse from run to run."""
