extension LoadError {
    /// Whether only the files in `dataDirectory` are at fault, and neither the configuration nor the files that it
    /// names.
    var isOfPushedFiles: Bool {
        switch self {
        case .dataDirectoryUnreadable, .dataDirectoryWritable, .tooManyFiles, .fileUnreadable,
            .fileNotRegular, .fileWritable, .fileTooLarge, .fileSparse, .fileChanged, .dataFile,
            .embeddedTestFailed, .copyNotMade, .factsUnfit, .appNotConfigured, .environmentNotConfigured,
            .duplicateFile, .generationReused, .generationLower, .builtInFuture, .rulesFileMissing:
            true
        case .configurationUnreadable, .configuration, .needsRestart, .anchorUnreadable, .anchorInvalid,
            .anchorUnfit, .appleRoots, .signingKey, .identifierKeyUnreadable, .identifierKeyExposed,
            .identifierKeyInvalid, .identifierKeyNotMade, .decisionsUnwritable, .noLastGood, .lastGoodDamaged,
            .lastGoodNotStored, .manifestInvalid, .system:
            false
        }
    }
}
