"""What the command prints of a run; each name is taken from its file, which loads little else."""

__all__ = ()
