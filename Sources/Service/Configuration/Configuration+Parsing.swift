internal import JSON
internal import Vocabulary

extension Configuration {
    /// Reads the text of `retentiond.json`; what is absent has its default.
    ///
    /// - Throws: everything that is wrong at once, each with its line, column and code; or why the text is no JSON.
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
            tellsOfMore: false
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
