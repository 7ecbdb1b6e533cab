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

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A library target in `Sources/<floor>/<name>`.
func library(
    _ name: String,
    in floor: String,
    uses dependencies: [Target.Dependency] = [],
    excluding: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/\(floor)/\(name)",
        exclude: excluding,
        swiftSettings: settings
    )
}

/// The tests of one target, in `Tests/<name>`.
func tests(
    of name: String,
    uses dependencies: [Target.Dependency] = [],
    excluding: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "Support"] + dependencies,
        path: "Tests/\(name)",
        exclude: excluding,
        swiftSettings: settings
    )
}

let interop: [Target] = [
    .systemLibrary(
        name: "CFastCGI",
        path: "Sources/Interop/CFastCGI",
        pkgConfig: "fcgi",
        providers: [.apt(["libfcgi-dev"])]
    ),
    .systemLibrary(
        name: "COpenSSL",
        path: "Sources/Interop/COpenSSL",
        pkgConfig: "libcrypto",
        providers: [.apt(["libssl-dev"])]
    ),
    .systemLibrary(
        name: "CJansson",
        path: "Sources/Interop/CJansson",
        pkgConfig: "jansson",
        providers: [.apt(["libjansson-dev"])]
    ),
    .systemLibrary(name: "CLinux", path: "Sources/Interop/CLinux"),
    .systemLibrary(
        name: "CCurl",
        path: "Sources/Interop/CCurl",
        pkgConfig: "libcurl",
        providers: [.apt(["libcurl4-openssl-dev"])]
    ),
]

let platform: [Target] = [
    library("Vocabulary", in: "Platform"),
    library("System", in: "Platform", uses: ["CLinux", "Vocabulary"]),
    library("JSON", in: "Platform", uses: ["CJansson", "Vocabulary"]),
    library("Cryptography", in: "Platform", uses: ["COpenSSL", "Vocabulary"]),
    library("CertificateAuthority", in: "Platform", uses: ["COpenSSL", "Cryptography", "Vocabulary"]),
    library("HTTPClient", in: "Platform", uses: ["CCurl", "Vocabulary"]),
]

let request: [Target] = [
    library("FastCGI", in: "Request", uses: ["CFastCGI", "System", "Vocabulary"]),
    library("SignedPayloads", in: "Request", uses: ["Cryptography", "JSON", "Vocabulary"]),
]

let decision: [Target] = [
    library(
        "DataFiles",
        in: "Decision",
        uses: ["Cryptography", "System", "Vocabulary"],
        excluding: ["FORMAT.md"]
    ),
    library("Decisions", in: "Decision", uses: ["DataFiles", "Vocabulary"]),
]

let reply: [Target] = [
    library(
        "Answers",
        in: "Reply",
        uses: ["DataFiles", "Decisions", "SignedPayloads", "JSON", "Vocabulary"]
    )
]

let service: [Target] = [
    library("Control", in: "Service", uses: ["System"]),
    library("Telemetry", in: "Service", uses: ["System", "Vocabulary", logging]),
    library(
        "Configuration",
        in: "Service",
        uses: ["Cryptography", "JSON", "SignedPayloads", "System", "Vocabulary"]
    ),
    library(
        "Endpoints",
        in: "Service",
        uses: [
            "Answers", "Configuration", "Cryptography", "DataFiles", "Decisions", "FastCGI", "JSON", "Loader",
            "SignedPayloads", "System", "Telemetry", "Vocabulary", logging,
        ]
    ),
    library(
        "Loader",
        in: "Service",
        uses: [
            "Configuration", "Cryptography", "DataFiles", "Decisions", "JSON", "SignedPayloads", "System",
            "Vocabulary",
        ]
    ),
    library(
        "Worker",
        in: "Service",
        uses: [
            "Configuration", "Control", "DataFiles", "Endpoints", "FastCGI", "Loader", "SignedPayloads",
            "System", "Telemetry", "Vocabulary", logging,
        ]
    ),
    library(
        "Supervisor",
        in: "Service",
        uses: ["Configuration", "Control", "JSON", "Loader", "System", "Telemetry", "Vocabulary", logging]
    ),
]

let authoring: [Target] = [
    library("RulesCompiler", in: "Authoring", uses: ["DataFiles", "Decisions", "JSON", "Vocabulary"])
]

let apple: [Target] = [
    library(
        "AppStoreTraffic",
        in: "Apple",
        uses: [
            "CertificateAuthority", "Cryptography", "HTTPClient", "JSON", "SignedPayloads", "System",
            "Vocabulary",
        ]
    )
]

let commands: [Target] = [
    .executableTarget(
        name: "retentiond",
        dependencies: [
            "Configuration", "Control", "DataFiles", "Endpoints", "FastCGI", "Loader", "Supervisor", "System",
            "Telemetry",
            "Vocabulary", "Worker", logging,
        ],
        path: "Sources/Commands/retentiond",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "retentionctl",
        dependencies: [
            "Answers", "AppStoreTraffic", "Configuration", "Cryptography", "DataFiles", "Decisions",
            "HTTPClient",
            "JSON", "RulesCompiler", "SignedPayloads", "System", "Vocabulary", argumentParser,
        ],
        path: "Sources/Commands/retentionctl",
        swiftSettings: settings
    ),
]

let testing: [Target] = [
    .target(
        name: "Support",
        dependencies: [
            "AppStoreTraffic", "CLinux", "CertificateAuthority", "Cryptography", "JSON", "SignedPayloads",
            "System", "Vocabulary",
        ],
        path: "Tests/Support",
        exclude: ["Certificates"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "CertificateAuthority", "DataFiles", "HTTPClient", "Support", "System", "Vocabulary",
        ],
        path: "Tests/EndToEnd",
        exclude: ["attack", "soak"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "SourceTreeTests",
        dependencies: ["Support", "System"],
        path: "Tests/SourceTree",
        exclude: ["Golden"],
        swiftSettings: settings
    ),
    tests(of: "Vocabulary"),
    tests(of: "System", uses: ["CLinux"]),
    tests(of: "JSON"),
    tests(of: "Cryptography", uses: ["CertificateAuthority"]),
    tests(of: "CertificateAuthority", uses: ["Cryptography", "System"]),
    tests(of: "HTTPClient", uses: ["CertificateAuthority", "System"]),
    tests(of: "FastCGI", uses: ["System"]),
    tests(
        of: "SignedPayloads",
        uses: ["AppStoreTraffic", "CertificateAuthority", "Cryptography", "Vocabulary"]
    ),
    tests(
        of: "DataFiles",
        uses: ["Cryptography", "Decisions", "System", "Vocabulary"],
        excluding: ["Golden", "Samples"]
    ),
    tests(
        of: "Decisions",
        uses: ["DataFiles", "JSON", "RulesCompiler", "System", "Vocabulary"],
        excluding: ["Golden", "Vectors"]
    ),
    tests(
        of: "Answers",
        uses: ["DataFiles", "Decisions", "JSON", "SignedPayloads", "Vocabulary"],
        excluding: ["Golden"]
    ),
    tests(of: "Telemetry", uses: ["JSON", "System", "Vocabulary", logging]),
    tests(of: "Configuration", uses: ["JSON", "SignedPayloads", "Vocabulary"]),
    tests(
        of: "Endpoints",
        uses: [
            "AppStoreTraffic", "CertificateAuthority", "DataFiles", "FastCGI", "JSON", "Loader",
            "RulesCompiler",
            "System", "Telemetry", "Vocabulary", logging,
        ]
    ),
    tests(
        of: "Loader",
        uses: ["Configuration", "Cryptography", "DataFiles", "Decisions", "System", "Vocabulary"]
    ),
    tests(of: "Control", uses: ["System"]),
    tests(of: "Worker", uses: ["Control", "FastCGI", "System", logging]),
    tests(
        of: "Supervisor",
        uses: ["Control", "Configuration", "Cryptography", "DataFiles", "Loader", "System", "Vocabulary"]
    ),
    tests(
        of: "RulesCompiler",
        uses: ["DataFiles", "Decisions", "JSON", "Vocabulary"],
        excluding: ["Golden"]
    ),
    tests(of: "AppStoreTraffic", uses: ["CertificateAuthority", "HTTPClient", "SignedPayloads", "System"]),
    .testTarget(
        name: "RetentionCtlTests",
        dependencies: ["retentionctl", "AppStoreTraffic", "JSON", "Support", "System"],
        path: "Tests/RetentionCtl",
        swiftSettings: settings
    ),
]

/// The fuzzers, only when asked for: they have no main and are linked by libFuzzer.
func fuzzer(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "Fuzz\(name)",
        dependencies: dependencies,
        path: "Tests/Fuzz/Targets/\(name)",
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
    )
}

let fuzzing: [Target] =
    Context.environment["FUZZ"] == nil
    ? []
    : [
        fuzzer("RequestBody", uses: ["SignedPayloads"]),
        fuzzer("CompactJWS", uses: ["SignedPayloads"]),
        fuzzer("Base64", uses: ["SignedPayloads"]),
        fuzzer("Payload", uses: ["SignedPayloads"]),
        fuzzer("Chain", uses: ["SignedPayloads"]),
        fuzzer("JSON", uses: ["JSON"]),
        fuzzer("RulesFile", uses: ["Decisions"]),
        fuzzer("RulesSource", uses: ["RulesCompiler"]),
        fuzzer("Framing", uses: ["FastCGI"]),
        fuzzer("Configuration", uses: ["Configuration"]),
    ]

/// `Tests/Benchmarks/run` alone builds what measures; its arithmetic is tested with everything else.
let benchmarks: [Target] = [
    .target(
        name: "BenchmarkStatistics",
        dependencies: ["JSON"],
        path: "Tests/Benchmarks/Statistics",
        swiftSettings: settings
    ),
    .testTarget(
        name: "BenchmarkStatisticsTests",
        dependencies: ["BenchmarkStatistics", "JSON"],
        path: "Tests/Benchmarks/StatisticsTests",
        swiftSettings: settings
    ),
]

let measuring: [Target] = [
    .target(
        name: "CBaseline",
        dependencies: ["COpenSSL"],
        path: "Tests/Benchmarks/Baseline"
    ),
    .executableTarget(
        name: "benchmarks",
        dependencies: [
            "AppStoreTraffic", "Answers", "BenchmarkStatistics", "CBaseline", "CertificateAuthority",
            "Cryptography", "DataFiles", "Decisions", "JSON", "RulesCompiler", "SignedPayloads", "System",
            "Vocabulary",
        ],
        path: "Tests/Benchmarks/Measure",
        swiftSettings: settings
    ),
]

let package = Package(
    name: "retention",
    products: [
        .executable(name: "retentiond", targets: ["retentiond"]),
        .executable(name: "retentionctl", targets: ["retentionctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: interop + platform + request + decision + reply + service + authoring + apple + commands
        + testing + fuzzing + benchmarks + (Context.environment["BENCHMARKS"] == nil ? [] : measuring)
)
