"""Content of a study's page: results as sentences, and drawings as SVG."""
