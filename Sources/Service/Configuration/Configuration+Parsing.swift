internal import JSON
internal import Vocabulary

extension Configuration {
    /// Parses the text of `retentiond.json`. A setting that the text does not have keeps its default.
    ///
    /// - Throws: an error with all problems at once, each with its line, column and code; or with the one reason why
    ///   the text is not JSON.
    public init(parsing source: [UInt8]) throws(ConfigurationError) {
        let limits = JSONLimits(byteCount: ConfigurationLimits.fileBytes, depth: ConfigurationLimits.depth)
        let document = try JSONError.mapped(
            to: { ConfigurationError([Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(
            source: source,
            subject: "configuration",
            limit: ConfigurationLimits.findingCount,
            reportsOverflow: false
        )
        let root = SourceValue(document.root, path: [], findings)
        self.init(apps: [])
        root.read(Self.settings, later: Self.later, into: &self)
        if !listen.isLocal, !allowRemoteFastCGI {
            root.member("listen")?.report(
                .remoteListen,
                "whoever reaches this address can crash the workers; use a unix socket, or set allowRemoteFastCGI"
            )
        }
        guard findings.isEmpty else { throw ConfigurationError(findings.sorted) }
    }
}
