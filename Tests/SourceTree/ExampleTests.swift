import Support
import System
import Testing

/// The documentation of every library has an example of its use, and the example compiles.
@Suite("The examples in the documentation")
struct ExampleTests {
    /// Files with an example, and the values that the example does not make itself, as parameters of a function.
    private static let examples: [(path: String, given: String)] = [
        ("Platform/System/FileDescriptor.swift", ""),
        ("Platform/JSON/JSONDocument.swift", "text: [UInt8]"),
        ("Platform/JSON/JSONNode.swift", ""),
        ("Platform/JSON/SourceValue.swift", "text: [UInt8], document: JSONDocument"),
        ("Platform/Cryptography/SigningKey.swift", "message: [UInt8]"),
        ("Platform/Cryptography/ES256Verifier.swift", "der: [UInt8], signature: [UInt8], message: [UInt8]"),
        (
            "Platform/CertificateAuthority/CertificateAuthority.swift",
            "rootRecipe: CertificateRecipe, leafRecipe: CertificateRecipe"
        ),
        ("Platform/HTTPClient/HTTPClient.swift", "body: [UInt8]"),
        ("Platform/TokenSigning/JWSSigning.swift", "key: SigningKey"),
        ("Platform/PNG/PNGFacts.swift", "bytes: [UInt8]"),
        ("Platform/SQL/SQLText.swift", "connection: any SQLConnection, app: String"),
        ("Platform/SQL/SQLConnection.swift", "connection: any SQLConnection, name: String"),
        ("Platform/Vocabulary/CivilTime.swift", ""),
        ("Platform/Vocabulary/DisplayText.swift", "messageOfServer: String"),
        ("Platform/Vocabulary/Finding.swift", "code: String"),
        ("Platform/SQL/SQLite/SQLiteConnection.swift", ""),
        ("Request/FastCGI/FastCGIServer.swift", ""),
        ("Request/SignedPayloads/SignedPayloadVerifier.swift", "body: [UInt8], now: Int64"),
        (
            "Apple/Recovery/NotificationRecovery.swift",
            "client: AppStoreServerClient, store: NotificationStore, verifier: SignedPayloadVerifier, owner: PayloadOwner"
        ),
        ("Record/NotificationStore/NotificationStore.swift", "options: StoreOptions, items: [StoreItem]"),
        ("Record/NotificationForwarding/Forwarder.swift", "store: NotificationStore"),
        ("Record/SubscriberHistory/Facts/HistoryFacts.swift", "payloads: SubscriberPayloads"),
        ("Record/SubscriberHistory/Store/StoredHistories.swift", "store: NotificationStore"),
        ("Decision/DataFiles/Facts/FactsFile.swift", "bytes: [UInt8]"),
        ("Decision/RulesReading/RulesSource.swift", "bytes: [UInt8]"),
        ("Decision/Decisions/Decision.swift", "model: RulesModel, digest: SHA256Digest"),
        ("Reply/OfferSigning/OfferSigner.swift", ""),
        (
            "Reply/Answers/Answer.swift",
            "request: DecisionRequest, facts: SubscriberFacts, rules: RulesFile, signer: OfferSigner?"
        ),
        (
            "Apple/AppStoreTraffic/SignedRequestBuilder.swift",
            "chain: AppleShapedChain, payload: RequestPayload, url: String"
        ),
        ("Apple/AppStoreTraffic/PerformanceTest.swift", "url: String, makePayload: (Int) -> RequestPayload"),
        ("Apple/AppStoreServerAPI/Client/AppStoreServerClient.swift", "credentials: AppStoreCredentials"),
        (
            "Authoring/DataFileWriting/Facts/FactsBuilder.swift",
            "making: FactsFileIdentity, output: inout AtomicFileWriter"
        ),
        ("Authoring/RulesCompiler/RulesCompiler.swift", "source: [UInt8]"),
        ("Authoring/Catalogue/Checks/CheckedCatalogue.swift", "source: [UInt8]"),
        ("Authoring/Catalogue/Journal/CatalogueJournal.swift", "item: CatalogueItem, now: Int64"),
        ("Authoring/Publishing/Publisher.swift", "access: any HostAccess, files: [PublishedFile]"),
        (
            "Authoring/CataloguePage/CataloguePage.swift",
            "catalogue: Catalogue, resolved: ResolvedCatalogue, status: CatalogueStatus, "
                + "coverage: CatalogueCoverage, uses: CatalogueUses, files: ImageFiles"
        ),
        ("Authoring/FactsCompiler/FactsCompiler.swift", "text: [UInt8], schema: FactsSchema"),
        ("Service/Configuration/Configuration.swift", "bytes: [UInt8], running: Configuration"),
        (
            "Service/Control/ControlSocket.swift",
            "socket: consuming MessageSocket, handle: (ControlMessage) -> Void"
        ),
        ("Service/Telemetry/SharedCounters.swift", ""),
        ("Service/Loader/Loader.swift", "path: String"),
        (
            "Service/Endpoints/EndpointHandler.swift",
            "generation: Generation, observer: RequestObserver, recorder: DecisionRecorder?, request: inout CGIRequest"
        ),
        (
            "Service/Worker/WorkerLoop.swift",
            "listener: consuming ListeningSocket, control: consuming ControlSocket, "
                + "signals: consuming SignalDescriptor, logger: Logger, handler: some WorkerHandler"
        ),
        (
            "Apple/AppStoreSimulator/AppStoreSimulator.swift",
            "configuration: SimulatorConfiguration, request: SimulatorRequest, "
                + "generator: inout SystemRandomNumberGenerator"
        ),
        (
            "Service/Recorder/RecorderProcess.swift",
            "configuration: RecorderConfiguration, path: String, socket: consuming ListeningSocket, "
                + "signals: consuming SignalDescriptor, logger: Logger"
        ),
        ("Service/Supervisor/ReloadRequest.swift", ""),
        ("Service/Supervisor/Supervisor.swift", ""),
    ]

    /// Returns the first code block in the documentation of a file, as the body of a function.
    private static func block(_ path: String) throws -> [Substring] {
        let source = String(
            decoding: try SourceFile.read("\(SourceFile.root)/Sources/\(path)"), as: UTF8.self)
        var lines: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///     ") {
                lines.append(text.dropFirst("///     ".count))
            } else if !lines.isEmpty {
                break
            }
        }
        return lines
    }

    /// Returns the path of the compiler, the first `swiftc` in PATH.
    private static func compiler() throws -> String {
        let folders = (ProcessEnvironment.value(of: "PATH") ?? "").split(separator: ":")
        return try #require(folders.map { "\($0)/swiftc" }.first { (try? FileStatus(path: $0)) != nil })
    }

    @Test("exist for every library")
    func completeness() throws {
        let shown = Set(
            Self.examples.compactMap { $0.path.split(separator: "/").dropFirst().first.map(String.init) }
        )
        let floors: Set = [
            "Platform", "Request", "Decision", "Reply", "Record", "Apple", "Authoring", "Service",
        ]
        let libraries = try ManifestRow.all(of: "house").filter { floors.contains($0.place) }.map(\.name)
        #expect(Set(libraries) == shown)
    }

    @Test("compile")
    func compile() throws {
        let folder = try TemporaryDirectory()
        // The modules of this build, whichever program is tested.
        let products = SourceFile.folder(of: try Processes.executablePath())
        let modules = try ManifestRow.all(of: "house").filter { $0.place != "Commands" }.map(\.name)
        var text = (modules + ["Logging"]).map { "import \($0)\n" }.joined()
        for (number, example) in Self.examples.enumerated() {
            let lines = try Self.block(example.path)
            #expect(!lines.isEmpty, "\(example.path)")
            text += "\n// \(example.path)\nfunc example\(number)(\(example.given)) throws {\n"
            text += lines.map { "    \($0)\n" }.joined() + "}\n"
        }
        try folder.write(text, to: "Examples.swift")
        let interop = [
            "CLinux", "CFastCGI", "COpenSSL", "CJansson", "CCurl", "CPNG", "CPostgreSQL", "CSQLite",
        ].flatMap { name in
            ["-Xcc", "-fmodule-map-file=\(SourceFile.root)/Sources/Interop/\(name)/module.modulemap"]
        }
        let flags = try ProgramRun.run("pkg-config", ["--cflags", "libpq"]).output
        let headers = flags.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
        let run = try ProgramRun.run(
            try Self.compiler(),
            ["-typecheck", "-suppress-warnings", "-swift-version", "6", "-I", "\(products)/Modules"]
                + interop + headers
                + [folder.path(of: "Examples.swift")]
        )
        #expect(run.status == 0, "\(run.errors.prefix(4000))")
    }
}
