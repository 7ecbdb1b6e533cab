// DataFiles.
