import AppStoreSimulator
import CertificateAuthority
import JSON
import NotificationStore
import Support
import System
import Testing

/// The database systems under test.
enum StoreKind: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

/// Notifications that a test authority signed, and places for stores.
struct StoreWorld {
    let folder: TemporaryDirectory
    let now: Int64
    private let builder: SignedRequestBuilder
    /// The options that trust the test authority.
    let trust: [String]

    init() throws {
        folder = try TemporaryDirectory()
        now = Clock.wallMilliseconds()
        let year: Int64 = 31_536_000_000
        let chain = try AppleShapedChain.make(
            notBeforeMilliseconds: now - year, notAfterMilliseconds: now + year)
        builder = try SignedRequestBuilder(chain: chain)
        try folder.write(chain.root.pem, to: "root.pem")
        trust = ["--any-app", "--anchors", folder.path(of: "root.pem")]
    }

    /// The anchors alone, for commands that take the app of a row.
    var anchors: [String] { Array(trust.dropFirst()) }

    /// The address of a store that is not made yet.
    func address(_ kind: StoreKind, _ name: String = "store") throws -> String {
        switch kind {
        case .sqlite: "sqlite:\(folder.path(of: "\(name).db"))"
        case .postgreSQL: try PostgreSQLServer.shared().makeSchema()
        }
    }

    /// The original transaction identifier of a subscriber.
    static func subscription(_ subscriber: Int) -> Int64 { 2_000_000_500_000 + Int64(subscriber) * 1000 }

    /// `notificationUUID` of a notification.
    static func uuid(_ number: Int) -> UUID {
        UUID(high: 0x5f2a_1c3e_0d4b_4c6f, low: 0x9a7e_0000_0000_0000 | UInt64(number))
    }

    /// Makes one notification: the kinds take turns, and so do the subscribers.
    func body(_ number: Int, subscribers: Int = 5) throws -> [UInt8] {
        let kinds = NotificationKind.documented
        let subscriber = number % subscribers
        var sample = SubscriptionSample(
            appAppleId: 531_412, bundleId: "com.example.app", environment: .sandbox,
            purchaseDate: now - 86_400_000)
        sample.originalTransactionId = Self.subscription(subscriber)
        sample.period = Int64(number / subscribers + 1)
        let payload = NotificationPayload(
            kinds[number % kinds.count], of: sample, uuid: Self.uuid(number),
            signedDate: now - 3_600_000 + Int64(number))
        return try builder.body(payload)
    }

    /// Writes notifications as lines to a file, and returns its path.
    @discardableResult
    func bodies(_ numbers: Range<Int>, subscribers: Int = 5, to name: String = "bodies") throws -> String {
        var lines: [UInt8] = []
        for number in numbers { lines += try body(number, subscribers: subscribers) + [UInt8(ascii: "\n")] }
        try folder.write(lines, to: name)
        return folder.path(of: name)
    }

    /// The lines of a file of this world. Signatures differ each time, so a body is made once.
    func lines(of name: String) throws -> [[UInt8]] {
        try folder.read(name).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// Runs `retentionctl store COMMAND`.
    func store(_ words: String..., at address: String) throws -> ProgramRun {
        try Tool.run(["store"] + words + ["--store", address])
    }

    /// Imports a file, and returns the report.
    @discardableResult
    func take(_ file: String, into address: String) throws -> JSONDocument {
        let run = try Tool.run(["store", "import", file, "--json", "--store", address] + trust)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        return try Tool.document(run)
    }

    /// Makes a store with notifications.
    func filled(_ kind: StoreKind, count: Int = 60, name: String = "store") throws -> String {
        let address = try address(kind, name)
        let report = try take(bodies(0..<count), into: address)
        #expect(report.root.member("stored")?.int64 == Int64(count))
        return address
    }

    /// Exports a store, and returns the lines.
    func export(_ address: String) throws -> [UInt8] {
        let path = folder.path(of: "export")
        let run = try Tool.run(["store", "export", "-o", path, "--store", address])
        #expect(run.status == 0, "\(run.errors)")
        return try folder.read("export")
    }
}
