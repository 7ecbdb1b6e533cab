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

typealias Uses = [Target.Dependency]

/// What most targets use.
let base: Uses = ["JSON", "System", "Vocabulary"]
let crypto: Uses = ["Cryptography", "Vocabulary"]
let deciding: Uses = ["DataFiles", "Decisions", "Vocabulary"]
let traffic: Uses = ["CertificateAuthority", "HTTPClient"]

/// A library in `Sources/<floor>/<name>`.
func library(_ name: String, in floor: String, uses: Uses = [], excluding: [String] = []) -> Target {
    let path = "Sources/\(floor)/\(name)"
    return .target(name: name, dependencies: uses, path: path, exclude: excluding, swiftSettings: settings)
}

/// A program in `Sources/Commands/<name>`.
func program(_ name: String, uses: Uses) -> Target {
    let path = "Sources/Commands/\(name)"
    return .executableTarget(name: name, dependencies: uses, path: path, swiftSettings: settings)
}

/// Tests at a place of their own.
func suite(_ name: String, at path: String, uses: Uses, excluding: [String] = []) -> Target {
    .testTarget(name: name, dependencies: uses, path: path, exclude: excluding, swiftSettings: settings)
}

/// The tests of one target, in `Tests/<name>`.
func tests(of name: String, uses: Uses = [], excluding: [String] = []) -> Target {
    let all: Uses = [.byName(name: name), "Support"] + uses
    return suite("\(name)Tests", at: "Tests/\(name)", uses: all, excluding: excluding)
}

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
]

let platform: [Target] = [
    library("Vocabulary", in: "Platform"),
    library("System", in: "Platform", uses: ["CLinux", "Vocabulary"]),
    library("JSON", in: "Platform", uses: ["CJansson", "Vocabulary"]),
    library("Cryptography", in: "Platform", uses: ["COpenSSL", "Vocabulary"]),
    library("CertificateAuthority", in: "Platform", uses: crypto + ["COpenSSL"]),
    library("HTTPClient", in: "Platform", uses: ["CCurl", "Vocabulary"]),
]

let request: [Target] = [
    library("FastCGI", in: "Request", uses: ["CFastCGI", "System", "Vocabulary"]),
    library("SignedPayloads", in: "Request", uses: crypto + ["JSON"]),
]

let decision: [Target] = [
    library("DataFiles", in: "Decision", uses: crypto + ["System"], excluding: ["FORMAT.md"]),
    library("Decisions", in: "Decision", uses: ["DataFiles", "Vocabulary"]),
]

let reply: [Target] = [
    library("OfferSigning", in: "Reply", uses: base + ["Cryptography", "DataFiles", "Decisions"]),
    library("Answers", in: "Reply", uses: deciding + ["SignedPayloads", "JSON", "OfferSigning"]),
]

let service: [Target] = [
    library("Control", in: "Service", uses: ["System"]),
    library("Telemetry", in: "Service", uses: ["System", "Vocabulary", logging]),
    library("Configuration", in: "Service", uses: base + ["Cryptography", "OfferSigning", "SignedPayloads"]),
    library(
        "Endpoints",
        in: "Service",
        uses: base + [
            "Answers", "Configuration", "Cryptography", "DataFiles", "Decisions", "FastCGI", "Loader",
            "OfferSigning", "SignedPayloads", "Telemetry", logging,
        ]
    ),
    library(
        "Loader",
        in: "Service",
        uses: base + ["Configuration", "Cryptography", "DataFiles", "Decisions", "SignedPayloads"]
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
        uses: base + ["Configuration", "Control", "Loader", "Telemetry", logging]
    ),
]

let authoring: [Target] = [
    library("RulesCompiler", in: "Authoring", uses: deciding + ["JSON"]),
    library("FactsCompiler", in: "Authoring", uses: base + ["DataFiles"]),
]

let apple: [Target] = [
    library("AppStoreTraffic", in: "Apple", uses: base + ["Cryptography", "SignedPayloads"] + traffic)
]

let commands: [Target] = [
    program(
        "retentiond",
        uses: base + [
            "Configuration", "Control", "Cryptography", "DataFiles", "Endpoints", "FastCGI", "Loader",
            "Supervisor", "Telemetry", "Worker", logging,
        ]
    ),
    program(
        "retentionctl",
        uses: base + [
            "Answers", "AppStoreTraffic", "Cryptography", "DataFiles", "Decisions", "FactsCompiler",
            "HTTPClient", "Loader", "OfferSigning", "RulesCompiler", "SignedPayloads", argumentParser,
        ]
    ),
]

let testing: [Target] = [
    .target(name: "CAllocations", path: "Tests/Support/CAllocations"),
    // A test target, so that only a build of tests wants the Testing module.
    suite(
        "Support",
        at: "Tests/Support",
        uses: base + ["AppStoreTraffic", "CLinux", "CertificateAuthority", "Cryptography", "SignedPayloads"],
        excluding: ["CAllocations", "Certificates"]
    ),
    suite(
        "EndToEndTests",
        at: "Tests/EndToEnd",
        uses: base + ["CertificateAuthority", "Cryptography", "DataFiles", "HTTPClient", "Support"],
        excluding: ["Golden", "attack", "soak"]
    ),
    suite(
        "SourceTreeTests",
        at: "Tests/SourceTree",
        uses: ["Configuration", "JSON", "Support", "System"],
        excluding: ["Golden"]
    ),
    tests(of: "Vocabulary"),
    tests(of: "System", uses: ["CLinux"]),
    tests(of: "JSON"),
    tests(of: "Cryptography", uses: ["CertificateAuthority"]),
    tests(of: "CertificateAuthority", uses: ["Cryptography", "System"]),
    tests(of: "HTTPClient", uses: ["CertificateAuthority", "System"]),
    tests(of: "FastCGI", uses: ["System"]),
    tests(of: "SignedPayloads", uses: crypto + ["AppStoreTraffic", "CertificateAuthority"]),
    tests(
        of: "DataFiles",
        uses: ["Cryptography", "Decisions", "System", "Vocabulary"],
        excluding: ["Golden", "Samples"]
    ),
    tests(
        of: "Decisions",
        uses: ["CAllocations", "DataFiles", "JSON", "RulesCompiler", "System", "Vocabulary"],
        excluding: ["Golden", "Vectors"]
    ),
    tests(of: "Answers", uses: base + ["DataFiles", "Decisions", "SignedPayloads"], excluding: ["Golden"]),
    tests(of: "OfferSigning", uses: base + ["Cryptography", "DataFiles", "Decisions", "RulesCompiler"]),
    tests(of: "Telemetry", uses: ["JSON", "System", "Vocabulary", logging]),
    tests(of: "Configuration", uses: ["JSON", "OfferSigning", "SignedPayloads", "Vocabulary"]),
    tests(
        of: "Endpoints",
        uses: [
            "AppStoreTraffic", "CertificateAuthority", "Cryptography", "DataFiles", "FastCGI", "JSON",
            "Loader", "RulesCompiler", "System", "Telemetry", "Vocabulary", logging,
        ]
    ),
    tests(
        of: "Loader",
        uses: [
            "CertificateAuthority", "Configuration", "Cryptography", "DataFiles", "Decisions",
            "SignedPayloads", "System", "Vocabulary",
        ]
    ),
    tests(of: "Control", uses: ["System"]),
    tests(of: "Worker", uses: ["Control", "FastCGI", "System", logging]),
    tests(
        of: "Supervisor",
        uses: ["Control", "Configuration", "Cryptography", "DataFiles", "Loader", "System", "Vocabulary"]
    ),
    tests(of: "RulesCompiler", uses: base + ["DataFiles", "Decisions"], excluding: ["Golden"]),
    tests(of: "FactsCompiler", uses: ["DataFiles", "JSON", "System", "Vocabulary"]),
    tests(of: "AppStoreTraffic", uses: ["CertificateAuthority", "HTTPClient", "SignedPayloads", "System"]),
    suite(
        "RetentionCtlTests",
        at: "Tests/RetentionCtl",
        uses: ["retentionctl", "AppStoreTraffic", "Cryptography", "JSON", "Support", "System", "Vocabulary"],
        excluding: ["Golden"]
    ),
]

/// The fuzzers, only when asked for: they have no main and are linked by libFuzzer.
func fuzzer(_ name: String, uses: Uses) -> Target {
    let path = "Tests/Fuzz/Targets/\(name)"
    let flags = settings + [.unsafeFlags(["-parse-as-library"])]
    return .executableTarget(name: "Fuzz\(name)", dependencies: uses, path: path, swiftSettings: flags)
}

let fuzzing: [Target] =
    Context.environment["FUZZ"] == nil
    ? []
    : ["RequestBody", "CompactJWS", "Base64", "Payload", "Chain"].map { fuzzer($0, uses: ["SignedPayloads"]) }
        + [
            ("JSON", "JSON"), ("RulesFile", "Decisions"), ("RulesSource", "RulesCompiler"),
            ("FactsFile", "DataFiles"), ("FactsSource", "FactsCompiler"), ("Framing", "FastCGI"),
            ("PaddedRequest", "FastCGI"), ("Configuration", "Configuration"),
        ].map { name, module in fuzzer(name, uses: [.byName(name: module)]) }

/// `Tests/Benchmarks/run` alone builds what measures; its arithmetic is tested with everything else.
let benchmarks: [Target] = [
    .target(
        name: "BenchmarkStatistics",
        dependencies: ["JSON"],
        path: "Tests/Benchmarks/Statistics",
        swiftSettings: settings
    ),
    suite(
        "BenchmarkStatisticsTests",
        at: "Tests/Benchmarks/StatisticsTests",
        uses: ["BenchmarkStatistics", "JSON"]
    ),
]

let measuring: [Target] = [
    .target(name: "CBaseline", dependencies: ["COpenSSL"], path: "Tests/Benchmarks/Baseline"),
    .executableTarget(
        name: "benchmarks",
        dependencies: base + [
            "AppStoreTraffic", "Answers", "BenchmarkStatistics", "CBaseline", "CertificateAuthority",
            "Cryptography", "DataFiles", "Decisions", "OfferSigning", "RulesCompiler", "SignedPayloads",
        ],
        path: "Tests/Benchmarks/Measure",
        swiftSettings: settings
    ),
]

/// Names of targets, with those of all that they depend on.
func closure(of names: Set<String>, in all: [Target]) -> Set<String> {
    let uses = all.filter { names.contains($0.name) }.flatMap(\.dependencies).compactMap { use in
        if case .byNameItem(let name, _) = use { name } else { nil }
    }
    return names.isSuperset(of: uses) ? names : closure(of: names.union(uses), in: all)
}

let everything =
    interop + platform + request + decision + reply + service + authoring + apple + commands + testing
    + fuzzing + benchmarks + (Context.environment["BENCHMARKS"] == nil ? [] : measuring)

/// `SUITES=ATests,BTests` leaves these tests and what they need: a build with a sanitizer is a build of its own.
let suites = Context.environment["SUITES"].map { Set($0.split(separator: ",").map(String.init)) }
let names = closure(of: suites ?? Set(everything.map(\.name)), in: everything)
let targets = everything.filter { names.contains($0.name) }

let package = Package(
    name: "retention",
    products: ["retentiond", "retentionctl"]
        .filter(names.contains).map { .executable(name: $0, targets: [$0]) },
    // Exactly these: what was tested is what is built, and a new version is a commit.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: targets
)
