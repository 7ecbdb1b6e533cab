// swift-tools-version: 6.2
import PackageDescription

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
    system("CPNG", pkgConfig: "libpng", apt: "libpng-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),
]

/// The floors, from the bottom to the top: a target imports what stands above it here.
let house: [Target] = [
    .target(
        name: "System", dependencies: ["CLinux"], path: "Sources/Platform/System"),
    .target(
        name: "JSON", dependencies: ["CJansson", "System"], path: "Sources/Platform/JSON"),
    .target(
        name: "Cryptography", dependencies: ["COpenSSL", "JSON", "System"],
        path: "Sources/Platform/Cryptography"),
    .target(
        name: "CertificateAuthority", dependencies: ["COpenSSL", "Cryptography", "System"],
        path: "Sources/Platform/CertificateAuthority"),
    .target(
        name: "PNG", dependencies: ["CPNG", "System"], path: "Sources/Platform/PNG"),
    .target(
        name: "HTTPClient", dependencies: ["CCurl", "System"], path: "Sources/Platform/HTTPClient"),
    .target(
        name: "SQL", dependencies: ["CPostgreSQL", "CSQLite", "System"], path: "Sources/Platform/SQL"),
    .target(
        name: "FastCGI", dependencies: ["CFastCGI", "CLinux", "System"], path: "Sources/Request/FastCGI"),
    .target(
        name: "SignedPayloads", dependencies: ["Cryptography", "JSON", "System"],
        path: "Sources/Request/SignedPayloads"),
    .target(
        name: "Facts", dependencies: ["Cryptography", "System"], path: "Sources/Decision/Facts",
        exclude: ["FORMAT.md"]),
    .target(
        name: "Rules", dependencies: ["Cryptography", "Facts", "JSON", "System"],
        path: "Sources/Decision/Rules"
    ),
    .target(
        name: "Reply", dependencies: ["Cryptography", "JSON", "Rules", "SignedPayloads", "System"],
        path: "Sources/Reply/Reply"),
    .target(
        name: "NotificationStore", dependencies: ["Cryptography", "JSON", "SignedPayloads", "SQL", "System"],
        path: "Sources/Record/NotificationStore"),
    .target(
        name: "SubscriberHistory", dependencies: ["Cryptography", "Facts", "NotificationStore", "System"],
        path: "Sources/Record/SubscriberHistory"),
    .target(
        name: "Effect",
        dependencies: [
            "Cryptography", "JSON", "NotificationStore", "Rules", "SQL", "SubscriberHistory", "System",
        ], path: "Sources/Record/Effect"),
    .target(
        name: "AppStoreServerAPI", dependencies: ["Cryptography", "HTTPClient", "JSON", "System"],
        path: "Sources/Apple/AppStoreServerAPI"),
    .target(
        name: "Recovery",
        dependencies: ["AppStoreServerAPI", "NotificationStore", "SignedPayloads", "SQL", "System"],
        path: "Sources/Apple/Recovery"),
    .target(
        name: "AppStoreSimulator",
        dependencies: [
            "AppStoreServerAPI", "CertificateAuthority", "Cryptography", "HTTPClient", "JSON", "PNG",
            "System",
        ], path: "Sources/Apple/AppStoreSimulator"),
    .target(
        name: "Configuration", dependencies: ["JSON", "Reply", "System"],
        path: "Sources/Service/Configuration"),
    .target(
        name: "Pool",
        dependencies: [
            "Configuration", "Cryptography", "Facts", "FastCGI", "JSON", "Reply", "Rules", "SignedPayloads",
            "System", .product(name: "Logging", package: "swift-log"),
        ], path: "Sources/Service/Pool"),
    .target(
        name: "Recorder",
        dependencies: [
            "Configuration", "Cryptography", "FastCGI", "JSON", "NotificationStore", "Pool", "Reply",
            "SignedPayloads", "SQL", "System", .product(name: "Logging", package: "swift-log"),
        ], path: "Sources/Service/Recorder"),
    .target(
        name: "Authoring",
        dependencies: ["AppStoreServerAPI", "Cryptography", "Facts", "JSON", "Rules", "System"],
        path: "Sources/Authoring/Authoring"),
    .target(
        name: "Catalogue",
        dependencies: ["AppStoreServerAPI", "Cryptography", "Facts", "JSON", "PNG", "Rules", "System"],
        path: "Sources/Authoring/Catalogue"),
    .target(
        name: "CommandLineTool",
        dependencies: ["JSON", "System", .product(name: "ArgumentParser", package: "swift-argument-parser")],
        path: "Sources/Commands/CommandLineTool"),
    .executableTarget(
        name: "retentiond",
        dependencies: [
            "Configuration", "Cryptography", "Facts", "FastCGI", "JSON", "Pool", "System",
            .product(name: "Logging", package: "swift-log"),
        ], path: "Sources/Commands/retentiond"),
    .executableTarget(
        name: "retentiond-recorder",
        dependencies: [
            "Configuration", "Cryptography", "FastCGI", "JSON", "Pool", "Recorder", "System",
        ], path: "Sources/Commands/retentiond-recorder"),
    .executableTarget(
        name: "retentionctl",
        dependencies: [
            "AppStoreServerAPI", "Authoring", "Catalogue", "CommandLineTool", "Configuration", "Cryptography",
            "Effect", "Facts", "HTTPClient", "JSON", "NotificationStore", "Recovery", "Reply", "Rules",
            "SignedPayloads", "SQL", "SubscriberHistory", "System",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], path: "Sources/Commands/retentionctl"),
    .executableTarget(
        name: "appstore-simulator",
        dependencies: [
            "AppStoreServerAPI", "AppStoreSimulator", "CommandLineTool", "Configuration", "Cryptography",
            "FastCGI", "HTTPClient", "JSON", "System",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], path: "Sources/Commands/appstore-simulator"),
]

/// `Support` and `FuzzBodies` are test targets too, so that only a build of tests wants the Testing module and looks into modules
/// (`@testable`).
let tests: [Target] = [
    .testTarget(
        name: "AppStoreServerAPITests",
        dependencies: [
            "AppStoreServerAPI", "Cryptography", "FuzzBodies", "HTTPClient", "JSON", "Support", "System",
        ], path: "Tests/AppStoreServerAPI"),
    .testTarget(
        name: "AppStoreSimulatorTests",
        dependencies: [
            "AppStoreServerAPI", "AppStoreSimulator", "Cryptography", "HTTPClient", "JSON", "Support",
            "System",
        ], path: "Tests/AppStoreSimulator", exclude: ["operations.txt"]),
    .testTarget(
        name: "CatalogueTests",
        dependencies: [
            "AppStoreServerAPI", "Catalogue", "Cryptography", "Facts", "FuzzBodies", "JSON", "Rules",
            "Support", "System",
        ], path: "Tests/Catalogue", exclude: ["Golden", "mistakes.txt", "Vectors"]),
    .testTarget(
        name: "CatalogueApplyTests",
        dependencies: [
            "AppStoreServerAPI", "Catalogue", "Cryptography", "Facts", "HTTPClient", "JSON", "Rules",
            "Support", "System",
        ], path: "Tests/CatalogueApply"),
    .testTarget(
        name: "CataloguePageTests",
        dependencies: [
            "AppStoreServerAPI", "Catalogue", "Cryptography", "Facts", "PNG", "Rules", "Support", "System",
        ], path: "Tests/CataloguePage", exclude: ["Golden"]),
    .testTarget(
        name: "ConfigurationTests",
        dependencies: [
            "Configuration", "FuzzBodies", "JSON", "Reply", "SignedPayloads", "Support", "System",
        ], path: "Tests/Configuration", exclude: ["Golden"]),
    .testTarget(
        name: "CryptographyTests",
        dependencies: ["AppStoreSimulator", "CertificateAuthority", "Cryptography", "Support", "System"],
        path: "Tests/Cryptography"),
    .testTarget(
        name: "DecisionsTests", dependencies: ["Authoring", "Facts", "JSON", "Rules", "Support", "System"],
        path: "Tests/Decisions", exclude: ["Golden", "Vectors"]),
    .testTarget(
        name: "EffectTests",
        dependencies: [
            "AppStoreSimulator", "Authoring", "Cryptography", "Effect", "Facts", "JSON", "Lives",
            "NotificationStore", "Pool", "Reply", "retentionctl", "Rules", "SignedPayloads", "SQL",
            "SubscriberHistory", "Support", "System",
        ], path: "Tests/Effect", exclude: ["Golden", "Logs", "Vectors"]),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Cryptography", "Facts", "HTTPClient", "HTTPLoad",
            "JSON", "NotificationStore", "Rules", "SQL", "Support", "System",
        ], path: "Tests/EndToEnd"),
    .testTarget(
        name: "EndpointsTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Cryptography", "Facts", "FastCGI", "JSON", "Pool",
            "Rules", "Support", "System", .product(name: "Logging", package: "swift-log"),
        ], path: "Tests/Endpoints", exclude: ["Golden"]),
    .testTarget(
        name: "FactsTests", dependencies: ["Cryptography", "Facts", "FuzzBodies", "Support", "System"],
        path: "Tests/Facts", exclude: ["Golden", "Samples"]),
    .testTarget(
        name: "FactsCompilerTests",
        dependencies: ["Authoring", "Facts", "FuzzBodies", "JSON", "Rules", "Support", "System"],
        path: "Tests/FactsCompiler", exclude: ["Tables"]),
    .testTarget(
        name: "FastCGITests", dependencies: ["FastCGI", "FuzzBodies", "Support", "System"],
        path: "Tests/FastCGI"),
    .testTarget(
        name: "HTTPClientTests",
        dependencies: ["AppStoreSimulator", "CertificateAuthority", "HTTPClient", "Support", "System"],
        path: "Tests/HTTPClient"),
    .testTarget(
        name: "JSONTests", dependencies: ["FuzzBodies", "JSON", "Support"], path: "Tests/JSON"),
    .testTarget(
        name: "Lives",
        dependencies: [
            "Cryptography", "Facts", "NotificationStore", "SignedPayloads", "SubscriberHistory", "Support",
        ], path: "Tests/Lives"),
    .testTarget(
        name: "LoaderTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Configuration", "Cryptography", "Facts", "Pool",
            "Rules", "SignedPayloads", "Support", "System",
        ], path: "Tests/Loader"),
    .testTarget(
        name: "NotificationStoreTests",
        dependencies: [
            "AppStoreSimulator", "CRecordingFiles", "Cryptography", "NotificationStore", "SignedPayloads",
            "SQL", "Support", "System",
        ], path: "Tests/NotificationStore", exclude: ["Golden"]),
    .testTarget(
        name: "PNGTests", dependencies: ["FuzzBodies", "PNG", "Support"], path: "Tests/PNG"),
    .testTarget(
        name: "RecorderTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Configuration", "Cryptography", "FastCGI", "JSON",
            "NotificationStore", "Pool", "Recorder", "SignedPayloads", "SQL", "Support", "System",
            .product(name: "Logging", package: "swift-log"),
        ], path: "Tests/Recorder"),
    .testTarget(
        name: "RecoveryTests",
        dependencies: [
            "AppStoreServerAPI", "AppStoreSimulator", "CertificateAuthority", "Cryptography", "HTTPClient",
            "JSON", "NotificationStore", "Recovery", "SignedPayloads", "Support", "System",
        ], path: "Tests/Recovery"),
    .testTarget(
        name: "ReplyTests",
        dependencies: ["Authoring", "Cryptography", "JSON", "Reply", "Rules", "Support", "System"],
        path: "Tests/Reply", exclude: ["Golden"]),
    .testTarget(
        name: "RetentionCtlTests",
        dependencies: [
            "AppStoreSimulator", "Authoring", "CertificateAuthority", "Cryptography", "Facts", "HTTPClient",
            "JSON", "NotificationStore", "Reply", "retentionctl", "Rules", "SignedPayloads", "SQL", "Support",
            "System",
        ], path: "Tests/RetentionCtl", exclude: ["Transcripts"]),
    .testTarget(
        name: "RulesCompilerTests",
        dependencies: [
            "AppStoreServerAPI", "Authoring", "Cryptography", "Facts", "FuzzBodies", "JSON", "Rules",
            "Support", "System",
        ], path: "Tests/RulesCompiler", exclude: ["Golden", "facts-lint.txt", "lint.txt", "mistakes.txt"]),
    .testTarget(
        name: "SQLTests", dependencies: ["SQL", "Support", "System"], path: "Tests/SQL"),
    .testTarget(
        name: "SignedPayloadsTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Cryptography", "FuzzBodies", "JSON",
            "SignedPayloads", "Support", "System",
        ], path: "Tests/SignedPayloads"),
    .testTarget(
        name: "SourceTreeTests", dependencies: ["JSON", "Pool", "Recorder", "Support", "System"],
        path: "Tests/SourceTree", exclude: ["Golden"]),
    .testTarget(
        name: "SubscriberHistoryTests",
        dependencies: [
            "Authoring", "Cryptography", "Facts", "Lives", "NotificationStore", "Rules", "SignedPayloads",
            "SubscriberHistory", "Support", "System",
        ], path: "Tests/SubscriberHistory", exclude: ["Golden", "Stories", "Templates.txt"]),
    .testTarget(
        name: "SupervisorTests",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "Cryptography", "Facts", "JSON", "Pool", "Rules",
            "Support", "System", .product(name: "Logging", package: "swift-log"),
        ], path: "Tests/Supervisor"),
    .testTarget(
        name: "Support",
        dependencies: [
            "AppStoreSimulator", "CertificateAuthority", "CLinux", "Cryptography", "Facts", "HTTPLoad",
            "JSON", "Rules", "SignedPayloads", "System",
        ], path: "Tests/Support", exclude: ["Certificates", "CRecordingFiles"]),
    .testTarget(
        name: "SystemTests", dependencies: ["CLinux", "Support", "System"], path: "Tests/System"),
    .testTarget(
        name: "TelemetryTests",
        dependencies: [
            "Configuration", "Cryptography", "JSON", "Pool", "Support", "System",
            .product(name: "Logging", package: "swift-log"),
        ], path: "Tests/Telemetry"),
    .testTarget(
        name: "TelemetryThreadsTests", dependencies: ["Pool", "System"], path: "Tests/TelemetryThreads"),
    .testTarget(
        name: "WorkerTests",
        dependencies: [
            "FastCGI", "Pool", "Support", "System", .product(name: "Logging", package: "swift-log"),
        ], path: "Tests/Worker"),
    .target(
        name: "HTTPLoad", dependencies: ["CLinux", "CTLS", "System"], path: "Tests/Load/Client"),
]

/// What `Tests/Benchmarks/run` alone builds.
let measuring: [Target] = [
    .executableTarget(
        name: "load", dependencies: ["HTTPLoad", "System"], path: "Tests/Benchmarks/LoadGenerator"),
    .executableTarget(
        name: "benchmarks",
        dependencies: [
            "AppStoreSimulator", "Authoring", "CBaseline", "CertificateAuthority", "Cryptography", "Facts",
            "HTTPLoad", "JSON", "NotificationStore", "Reply", "Rules", "SignedPayloads", "SubscriberHistory",
            "System",
        ], path: "Tests/Benchmarks/Measure"),
]

let testing: [Target] = [
    .systemLibrary(
        name: "CTLS", path: "Tests/Load/CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
    .target(name: "CRecordingFiles", dependencies: ["CSQLite"], path: "Tests/Support/CRecordingFiles"),
    .target(name: "CBaseline", dependencies: ["COpenSSL", "CSQLite"], path: "Tests/Benchmarks/Baseline"),
]

/// Fuzzers run these functions, and tests replay the corpora with them.
let bodies = Target.testTarget(
    name: "FuzzBodies",
    dependencies: [
        "AppStoreServerAPI", "Authoring", "Catalogue", "Configuration", "Cryptography", "Facts", "FastCGI",
        "JSON", "PNG", "Rules", "SignedPayloads", "System",
    ], path: "Tests/Fuzz/Bodies")

/// The fuzzer, only when asked for: it has no main and is linked by libFuzzer. A program cannot depend on a test target.
let fuzzing: [Target] =
    Context.environment["FUZZ"] == nil
    ? [bodies]
    : [
        .target(name: bodies.name, dependencies: bodies.dependencies, path: bodies.path),
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzBodies", "System"], path: "Tests/Fuzz/Target",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
for target in house + tests + measuring + fuzzing {
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}

/// The targets of these names, with all that they depend on.
func closure(of names: Set<String>, in all: [Target]) -> [Target] {
    let uses = all.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap { use in
        if case .byNameItem(let name, _) = use { name } else { nil }
    }
    return names.isSuperset(of: uses)
        ? all.filter { names.contains($0.name) } : closure(of: names.union(uses), in: all)
}

/// `SUITES=ATests,BTests` leaves these targets and what they need (programs that tests run are named, too): a build with a sanitizer is
/// a build of its own.
let all =
    interop + house + testing + tests + fuzzing + (Context.environment["BENCHMARKS"] == nil ? [] : measuring)
let suites = Context.environment["SUITES"]?.split(separator: ",").map { String($0) }
let targets = closure(of: Set(suites ?? all.map(\.name)), in: all)

// To optimize all would take builds of tests longer than it would save. So these optimize the services alone. For a release
// (RETENTION_LONG_TESTS) all but the tests is tested as users get it.
let services = closure(of: ["retentiond", "retentiond-recorder"], in: all).map(\.name)
let isForUsers = suites == nil || Context.environment["RETENTION_LONG_TESTS"] != nil
for target in all where target.type == .test || !isForUsers && !services.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}

let package = Package(
    name: "retention",
    products: ["retentiond", "retentiond-recorder", "retentionctl", "appstore-simulator"]
        .filter { name in targets.contains { $0.name == name } }
        .map { .executable(name: $0, targets: [$0]) },
    // Exactly these: what was tested is what is built, and a new version is a commit.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: targets
)
