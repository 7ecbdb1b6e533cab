// SourceTree.
