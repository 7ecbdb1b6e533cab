// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, strict memory safety, warnings are errors.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let products: [String: Target.Dependency] = [
    "Logging": .product(name: "Logging", package: "swift-log"),
    "ArgumentParser": .product(name: "ArgumentParser", package: "swift-argument-parser"),
]

/// The words of a text.
func words(_ text: String) -> [String] { text.split(separator: " ").map { String($0) } }

/// The modules of these names.
func dependencies(_ uses: String) -> [Target.Dependency] {
    words(uses).map { products[$0] ?? .byName(name: $0) }
}

/// The rows of a table: place, name, and the modules that the target imports. `Tests/SourceTree` holds the last against
/// the sources.
func rows(_ table: String) -> [(place: String, name: String, uses: String)] {
    table.split(separator: "\n").map { row in
        let cells = row.split(separator: ":", omittingEmptySubsequences: false)
        let head = words(String(cells[0]))
        return (head[0], head[1], String(cells[1]))
    }
}

/// What lies in a target's folder and is no source.
let excluded = [
    "Sources/Decision/DataFiles": "FORMAT.md",
    "Tests/Answers": "Golden", "Tests/CataloguePage": "Golden", "Tests/RetentionCtl": "Golden",
    "Tests/RulesCompiler": "Golden", "Tests/SourceTree": "Golden", "Tests/Telemetry": "Golden",
    "Tests/Catalogue": "Golden Vectors", "Tests/DataFiles": "Golden Samples",
    "Tests/Endpoints": "Golden", "Tests/Decisions": "Golden Vectors", "Tests/EndToEnd": "Golden attack soak",
    "Tests/Support": "CAllocations Certificates CRecordingFiles", "Tests/SubscriberHistory": "Golden",
]

/// A C library of the system, found by pkg-config.
func system(_ name: String, pkgConfig: String, apt package: String) -> Target {
    let path = "Sources/Interop/\(name)"
    return .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let interop: [Target] = [
    system("CFastCGI", pkgConfig: "fcgi", apt: "libfcgi-dev"),
    system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CJansson", pkgConfig: "jansson", apt: "libjansson-dev"),
    .systemLibrary(name: "CLinux", path: "Sources/Interop/CLinux"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    .systemLibrary(
        name: "CTLS",
        path: "Tests/Load/CTLS",
        pkgConfig: "libssl",
        providers: [.apt(["libssl-dev"])]
    ),
    system("CPNG", pkgConfig: "libpng", apt: "libpng-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),
]

/// Floor and target: what it imports.
let house = """
    Platform Vocabulary:
    Platform System: CLinux Vocabulary
    Platform JSON: CJansson Vocabulary
    Platform Cryptography: COpenSSL Vocabulary
    Platform CertificateAuthority: COpenSSL Cryptography Vocabulary
    Platform HTTPClient: CCurl Vocabulary
    Platform PNG: CPNG System Vocabulary
    Platform SQL: CPostgreSQL CSQLite Vocabulary
    Platform TokenSigning: Cryptography JSON
    Request FastCGI: CFastCGI CLinux System Vocabulary
    Request SignedPayloads: Cryptography JSON Vocabulary
    Decision DataFiles: Cryptography System Vocabulary
    Decision Decisions: DataFiles System Vocabulary
    Decision RulesReading: DataFiles Decisions JSON Vocabulary
    Reply OfferSigning: Cryptography DataFiles Decisions JSON System TokenSigning Vocabulary
    Reply Answers: DataFiles JSON OfferSigning SignedPayloads Vocabulary
    Record NotificationStore: Cryptography JSON SignedPayloads SQL System Vocabulary
    Record SubscriberHistory: Cryptography NotificationStore Vocabulary
    Record NotificationForwarding: HTTPClient NotificationStore SQL
    Apple AppStoreTraffic: AppStoreServerAPI CertificateAuthority Cryptography HTTPClient JSON System Vocabulary
    Apple AppStoreServerAPI: Cryptography HTTPClient JSON System TokenSigning Vocabulary
    Apple Recovery: AppStoreServerAPI JSON NotificationStore SignedPayloads SQL Vocabulary
    Apple AppStoreSimulator: AppStoreServerAPI AppStoreTraffic Cryptography JSON System Vocabulary
    Authoring DataFileWriting: Cryptography DataFiles System Vocabulary
    Authoring RulesCompiler: Cryptography DataFiles Decisions JSON RulesReading Vocabulary
    Authoring Catalogue: AppStoreServerAPI Cryptography DataFiles JSON PNG System Vocabulary
    Authoring Publishing: Cryptography DataFiles JSON Vocabulary
    Authoring CataloguePage: AppStoreServerAPI Catalogue Cryptography DataFiles PNG Vocabulary
    Authoring FactsCompiler: DataFiles DataFileWriting JSON System Vocabulary
    Service Configuration: JSON OfferSigning SignedPayloads System Vocabulary
    Service Control: System
    Service Telemetry: Cryptography Logging System Vocabulary
    Service Loader: Configuration Cryptography DataFiles Decisions JSON OfferSigning RulesReading \
        SignedPayloads System Vocabulary
    Service Endpoints: Answers Configuration Cryptography DataFiles Decisions FastCGI JSON Loader Logging \
        OfferSigning SignedPayloads System Telemetry Vocabulary
    Service Worker: Control FastCGI Logging System
    Service Supervisor: Configuration Control Cryptography JSON Loader Logging System Telemetry Vocabulary
    Service Recorder: Answers Configuration Cryptography Endpoints FastCGI JSON Loader Logging NotificationStore \
        SignedPayloads SQL Supervisor System Telemetry Vocabulary
    Commands retentiond: Configuration Control Cryptography DataFiles Endpoints FastCGI JSON Loader Logging \
        Supervisor System Telemetry Vocabulary Worker
    Commands retentiond-recorder: Configuration Cryptography FastCGI JSON Loader Logging Recorder Supervisor System \
        Telemetry Vocabulary
    Commands retentionctl: Answers AppStoreServerAPI AppStoreSimulator AppStoreTraffic ArgumentParser \
        Catalogue CataloguePage Configuration Cryptography DataFiles DataFileWriting Decisions \
        FactsCompiler FastCGI HTTPClient JSON NotificationForwarding NotificationStore OfferSigning \
        Publishing Recovery RulesCompiler RulesReading SignedPayloads SQL SubscriberHistory System \
        Vocabulary
    """

/// A library, or on the top floor a program, in `Sources/<floor>/<name>`.
func target(floor: String, name: String, uses: String) -> Target {
    let make = floor == "Commands" ? executable : library
    return make(name, "Sources/\(floor)/\(name)", uses)
}

func library(_ name: String, _ path: String, _ uses: String) -> Target {
    .target(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: words(excluded[path] ?? ""),
        swiftSettings: settings
    )
}

func executable(_ name: String, _ path: String, _ uses: String) -> Target {
    .executableTarget(name: name, dependencies: dependencies(uses), path: path, swiftSettings: settings)
}

func suite(_ name: String, _ path: String, _ uses: String) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies(uses),
        path: path,
        exclude: words(excluded[path] ?? ""),
        swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
    )
}

/// Folder and target: what it imports. `Support` and `FuzzBodies` are test targets too, so that only a build of tests wants
/// the Testing module and looks into modules (`@testable`). To optimize tests would take longer than it would save.
let tests = """
    Tests/Vocabulary VocabularyTests: Vocabulary
    Tests/System SystemTests: CLinux Support System
    Tests/JSON JSONTests: FuzzBodies JSON Support
    Tests/Cryptography CryptographyTests: AppStoreTraffic CertificateAuthority Cryptography Support Vocabulary
    Tests/CertificateAuthority CertificateAuthorityTests: AppStoreTraffic CertificateAuthority Cryptography Support
    Tests/HTTPClient HTTPClientTests: AppStoreTraffic CertificateAuthority HTTPClient Support System
    Tests/PNG PNGTests: FuzzBodies PNG Support
    Tests/SQL SQLTests: SQL Support System
    Tests/TokenSigning TokenSigningTests: Cryptography JSON TokenSigning
    Tests/FastCGI FastCGITests: FastCGI FuzzBodies Support System
    Tests/SignedPayloads SignedPayloadsTests: AppStoreTraffic CertificateAuthority Cryptography FuzzBodies JSON \
        SignedPayloads Support Vocabulary
    Tests/DataFiles DataFilesTests: Cryptography DataFiles DataFileWriting FuzzBodies Support System \
        Vocabulary
    Tests/Decisions DecisionsTests: CAllocations DataFiles DataFileWriting Decisions JSON RulesCompiler \
        RulesReading Support System Vocabulary
    Tests/OfferSigning OfferSigningTests: Cryptography DataFiles Decisions JSON OfferSigning RulesCompiler \
        RulesReading Support System Vocabulary
    Tests/Answers AnswersTests: Answers DataFiles Decisions JSON OfferSigning Support Vocabulary
    Tests/NotificationStore NotificationStoreTests: AppStoreTraffic CRecordingFiles Cryptography NotificationStore \
        SignedPayloads SQL Support System Vocabulary
    Tests/SubscriberHistory SubscriberHistoryTests: AppStoreTraffic CertificateAuthority Cryptography DataFiles \
        DataFileWriting Decisions NotificationStore RulesCompiler SubscriberHistory Support System Vocabulary
    Tests/NotificationForwarding NotificationForwardingTests: HTTPClient NotificationForwarding NotificationStore \
        SignedPayloads Support System Vocabulary
    Tests/AppStoreTraffic AppStoreTrafficTests: AppStoreTraffic CertificateAuthority Cryptography HTTPClient \
        SignedPayloads Support System Vocabulary
    Tests/AppStoreServerAPI AppStoreServerAPITests: AppStoreServerAPI Cryptography FuzzBodies HTTPClient Support \
        Vocabulary
    Tests/AppStoreSimulator AppStoreSimulatorTests: AppStoreServerAPI AppStoreSimulator AppStoreTraffic Cryptography \
        FuzzBodies JSON Support System Vocabulary
    Tests/Recovery RecoveryTests: AppStoreServerAPI AppStoreSimulator AppStoreTraffic CertificateAuthority \
        Cryptography HTTPClient JSON NotificationStore Recovery SignedPayloads Support Vocabulary
    Tests/DataFileWriting DataFileWritingTests: DataFiles DataFileWriting Support System
    Tests/RulesCompiler RulesCompilerTests: Cryptography DataFiles DataFileWriting Decisions FuzzBodies \
        JSON RulesCompiler RulesReading Support Vocabulary
    Tests/Catalogue CatalogueTests: AppStoreServerAPI Catalogue Cryptography DataFiles FuzzBodies JSON Support System \
        Vocabulary
    Tests/CatalogueApply CatalogueApplyTests: AppStoreServerAPI Catalogue Cryptography DataFiles HTTPClient JSON \
        Support System Vocabulary
    Tests/Publishing PublishingTests: Cryptography DataFiles JSON Publishing Support Vocabulary
    Tests/CataloguePage CataloguePageTests: AppStoreServerAPI Catalogue CataloguePage Cryptography DataFiles JSON PNG \
        Support System Vocabulary
    Tests/FactsCompiler FactsCompilerTests: DataFiles DataFileWriting FactsCompiler FuzzBodies JSON Support System \
        Vocabulary
    Tests/Configuration ConfigurationTests: Configuration FuzzBodies JSON OfferSigning SignedPayloads Support \
        Vocabulary
    Tests/Control ControlTests: Control System
    Tests/Telemetry TelemetryTests: Cryptography JSON Logging Support System Telemetry Vocabulary
    Tests/TelemetryThreads TelemetryThreadsTests: System Telemetry
    Tests/Loader LoaderTests: AppStoreTraffic CertificateAuthority Configuration Cryptography DataFiles \
        DataFileWriting Loader SignedPayloads Support System Vocabulary
    Tests/Endpoints EndpointsTests: AppStoreTraffic CertificateAuthority Cryptography DataFiles \
        DataFileWriting Decisions Endpoints FastCGI JSON Loader Logging Support System Telemetry \
        Vocabulary
    Tests/Recorder RecorderTests: AppStoreTraffic CertificateAuthority Configuration Cryptography FastCGI JSON Logging \
        NotificationStore Recorder SignedPayloads SQL Support System Telemetry Vocabulary
    Tests/Worker WorkerTests: Control FastCGI Logging Support System Worker
    Tests/Supervisor SupervisorTests: AppStoreTraffic CertificateAuthority Cryptography DataFiles DataFileWriting JSON \
        Loader Supervisor Support System Vocabulary
    Tests/Support Support: AppStoreTraffic CertificateAuthority CLinux Cryptography DataFiles \
        DataFileWriting HTTPLoad JSON RulesReading SignedPayloads System Vocabulary
    Tests/EndToEnd EndToEndTests: AppStoreTraffic CertificateAuthority Cryptography DataFiles DataFileWriting \
        HTTPClient HTTPLoad JSON NotificationStore SQL Support System Vocabulary
    Tests/SourceTree SourceTreeTests: AppStoreServerAPI Configuration JSON NotificationStore \
        SubscriberHistory Support System
    Tests/RetentionCtl RetentionCtlTests: retentionctl AppStoreTraffic CertificateAuthority Cryptography JSON \
        NotificationStore SQL Support System Vocabulary
    """

let isFuzzing = Context.environment["FUZZ"] != nil

/// Folder and target: what it imports. Fuzzers run these functions, and tests replay the corpora with them.
let fuzzing = """
    Tests/Fuzz/Bodies FuzzBodies: AppStoreServerAPI AppStoreSimulator Catalogue Configuration Cryptography \
        DataFiles DataFileWriting Decisions FactsCompiler FastCGI JSON PNG RulesCompiler RulesReading \
        SignedPayloads System Vocabulary
    """

/// A fuzzer, only when asked for: it has no main and is linked by libFuzzer.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: "Fuzz\(name)",
        dependencies: ["FuzzBodies"],
        path: "Tests/Fuzz/Targets/\(name)",
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
    )
}

let fuzzers = words(
    """
    AppStoreAnswer Base64 CatalogueSource Chain CompactJWS Configuration FactsFile FactsSource Framing JSON \
        Notification NotificationBody PaddedRequest Payload PNG RequestBody RulesSource SignedPart \
        SimulatorRequest
    """
)

/// Folder and library: what it imports. Tests and benchmarks share these, so they do without the Testing module.
let shared = """
    Tests/Load/Client HTTPLoad: CLinux CTLS System
    Tests/Benchmarks/Statistics BenchmarkStatistics: JSON
    """

/// Folder and program: what it imports. `Tests/Benchmarks/run` alone builds what measures.
let programs = """
    Tests/Benchmarks/LoadGenerator load: HTTPLoad System
    Tests/Benchmarks/Sink sink: Logging NotificationStore Recorder System
    Tests/Benchmarks/Measure benchmarks: Answers AppStoreTraffic BenchmarkStatistics CBaseline CertificateAuthority \
        Cryptography DataFiles DataFileWriting Decisions Endpoints FastCGI HTTPLoad JSON Loader Logging NotificationStore \
        OfferSigning RulesCompiler SignedPayloads SubscriberHistory System Telemetry Vocabulary
    """

let measuring: [Target] =
    [.target(name: "CBaseline", dependencies: ["COpenSSL", "CSQLite"], path: "Tests/Benchmarks/Baseline")]
    + rows(programs).map { executable($0.name, $0.place, $0.uses) }

/// The names, with those of all that they depend on.
func closure(of names: Set<String>, in all: [Target]) -> Set<String> {
    let uses = all.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap { use in
        if case .byNameItem(let name, _) = use { name } else { nil }
    }
    return names.isSuperset(of: uses) ? names : closure(of: names.union(uses), in: all)
}

let everything =
    interop + rows(house).map(target) + rows(tests).map { suite($0.name, $0.place, $0.uses) }
    + rows(shared).map { library($0.name, $0.place, $0.uses) }
    + rows(fuzzing).map { (isFuzzing ? library : suite)($0.name, $0.place, $0.uses) }
    + [("CAllocations", []), ("CRecordingFiles", ["CSQLite"])]
    .map { .target(name: $0, dependencies: $1, path: "Tests/Support/\($0)") }
    + (isFuzzing ? fuzzers.map(fuzzer) : []) + (Context.environment["BENCHMARKS"] == nil ? [] : measuring)

/// `SUITES=ATests,BTests` leaves these targets and what they need: a build with a sanitizer is a build of its own.
let suites = Context.environment["SUITES"].map { Set($0.split(separator: ",").map(String.init)) }
let names = closure(of: suites ?? Set(everything.map(\.name)), in: everything)
let targets = everything.filter { names.contains($0.name) }

let package = Package(
    name: "retention",
    products: ["retentiond", "retentiond-recorder", "retentionctl"]
        .filter(names.contains).map { .executable(name: $0, targets: [$0]) },
    // Exactly these: what was tested is what is built, and a new version is a commit.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: targets
)
