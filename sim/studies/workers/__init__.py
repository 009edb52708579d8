"""How the cases of a study are computed: processes, a cluster, the model alone."""
