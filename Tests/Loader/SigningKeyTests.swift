import CertificateAuthority
import Configuration
import Cryptography
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    /// The kinds of `.p8` files that cannot be used.
    enum Bad: String, CaseIterable, Sendable {
        case missing, directory, exposed, groupAndOthers, empty, text, truncated, tooLarge, twoKeys, rsa
        case otherCurve, encrypted, certificate, publicKey, base64

        var code: String {
            switch self {
            case .missing: "signing-key-unreadable"
            case .directory: "signing-key-not-regular"
            case .exposed, .groupAndOthers: "signing-key-exposed"
            case .rsa, .otherCurve: "signing-key-unsuitable"
            case .encrypted: "signing-key-encrypted"
            case .certificate, .publicKey: "signing-key-not-private"
            case .empty, .text, .truncated, .tooLarge, .twoKeys, .base64: "signing-key-malformed"
            }
        }

        func write(to path: String, in folder: TemporaryDirectory) throws {
            let pem = try SigningKey.generate().pem()
            func put(_ text: String, permissions: UInt32 = 0o600) throws {
                try AtomicFile.write(Array(text.utf8).span, to: path, permissions: permissions)
            }
            switch self {
            case .missing: break
            case .directory: try Directory.make(path: path, permissions: 0o700)
            case .exposed: try put(pem, permissions: 0o644)
            case .groupAndOthers: try put(pem, permissions: 0o601)
            case .empty: try put("")
            case .text: try put("AuthKey_2X9R4HXF34.p8\n")
            case .truncated: try put(String(pem.prefix(120)))
            case .tooLarge: try put(pem + String(repeating: "\n", count: 5000))
            case .twoKeys: try put(pem + SigningKey.generate().pem())
            case .rsa: try put(PrivateKey.generate(.rsa2048).pem())
            case .otherCurve: try put(PrivateKey.generate(.p384).pem())
            case .encrypted:
                try put(
                    Self.openssl(
                        ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:x"], pem, in: folder)
                )
            case .certificate: try put(AppleCertificates.rootG3.certificate().pem)
            case .publicKey: try put(Self.openssl(["pkey", "-pubout"], pem, in: folder))
            case .base64: try put(String(decoding: Base64.encode(Array(pem.utf8).span), as: UTF8.self))
            }
        }

        private static func openssl(_ arguments: [String], _ input: String, in folder: TemporaryDirectory)
            throws -> String
        {
            let run = try ProgramRun.run("openssl", arguments, input: Array(input.utf8))
            guard run.status == 0, !run.output.isEmpty else {
                throw SystemCallError(call: run.errors, .einval)
            }
            return run.output
        }
    }

    private static func apps(_ keys: [(id: String, path: String)], signing: String? = nil) -> String {
        let list = keys.map { #"{"keyId": "\#($0.id)", "issuerId": "i-1", "file": "\#($0.path)"}"# }
        let choice = signing.map { #", "signingKeyId": "\#($0)""# } ?? ""
        return """
            [{"appAppleId": 1, "bundleId": "com.example.one", "environments": ["Production", "Sandbox"],
              "signingKeys": [\(list.joined(separator: ", "))]\(choice)},
             {"appAppleId": 2, "bundleId": "com.example.two", "environments": ["Production"]}]
            """
    }

    @Test(
        "that cannot be used are refused, each with its code, whether chosen to sign or not",
        arguments: Bad.allCases
    )
    func refused(bad: Bad) throws {
        let world = try LoaderWorld()
        let (good, path) = (world.folder.path(of: "good.p8"), world.folder.path(of: "bad.p8"))
        try world.folder.write(SigningKey.generate().pem(), to: "good.p8", permissions: 0o600)
        try bad.write(to: path, in: world.folder)
        for signing in ["GOOD", "BAD"] {
            try world.configure(apps: Self.apps([("GOOD", good), ("BAD", path)], signing: signing))
            let error = #expect(throws: ServiceError.self) { () throws(ServiceError) in try world.load() }
            #expect(error?.code == bad.code, "\(bad)")
            let text = error?.description ?? ""
            #expect(text.hasPrefix("\(path): key BAD: ") && !text.contains("PRIVATE KEY"), "\(text)")
        }
    }

    @Test("that the socket's group can read or write are refused, those of other groups accepted")
    func socketGroup() throws {
        let world = try LoaderWorld()
        let path = world.folder.path(of: "key.p8")
        let own = Credentials.current.groupID
        try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        let groups = ["\(own)", "\(own &+ 1)", "no-such-group"]
        for (group, permissions, isRefused) in [
            (groups[0], UInt32(0o640), true), (groups[0], 0o620, true), (groups[0], 0o600, false),
            (groups[1], 0o640, false), (groups[2], 0o640, false),
        ] {
            try Directory.setPermissions(path: path, to: permissions)
            try world.configure(#", "listenGroup": "\#(group)""#, apps: Self.apps([("KEY", path)]))
            do throws(ServiceError) {
                _ = try world.load()
                #expect(!isRefused, "\(group) \(permissions)")
            } catch {
                #expect(isRefused && error.code == "signing-key-socket-group", "\(error)")
                #expect(error.description.contains("chmod 0600 \(path)"))
            }
        }
    }

    @Test("reach the worker only when they are chosen to sign")
    func chosen() throws {
        let world = try LoaderWorld()
        var keys: [String: SigningKey] = [:]
        for id in ["OLD", "NEW"] {
            let key = try SigningKey.generate()
            keys[id] = key
            try world.folder.write("\n" + key.pem(), to: "\(id).p8", permissions: id == "OLD" ? 0o440 : 0o600)
        }
        let files = ["OLD", "NEW"].map { ($0, world.folder.path(of: "\($0).p8")) }
        for id in ["OLD", "NEW"] {
            try world.configure(apps: Self.apps(files, signing: id))
            let generation = try world.serve(isStart: true)
            #expect(try generation.signingKey(appAppleId: 1)?.pem() == keys[id]?.pem())
            #expect(generation.signingKey(appAppleId: 2) == nil)
        }
        try world.configure(apps: Self.apps([("OLD", world.folder.path(of: "OLD.p8"))]))
        let generation = try Generation(loadingConfigurationAt: world.configurationPath)
        #expect(try generation.signingKey(appAppleId: 1)?.pem() == keys["OLD"]?.pem())
        #expect(generation.signingKey(appAppleId: 2) == nil)
    }

    @Test(
        "that were replaced or removed after the load are not used by a worker, which says so",
        arguments: [true, false]
    )
    func replaced(isRemoved: Bool) throws {
        let world = try LoaderWorld()
        let path = world.folder.path(of: "key.p8")
        try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        try world.configure(apps: Self.apps([("KEY", path)]))
        try world.serve()
        try Directory.removeFile(path: path)
        if !isRemoved {
            try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        }
        let generation = try Generation(directory: world.store.path(of: 1))
        #expect(generation.signingKey(appAppleId: 1) == nil && generation.missingKeyCount == 1)
        let code = isRemoved ? "signing-key-unreadable" : "signing-key-missing"
        #expect(generation.warnings.map(\.code) == [code])
        let text = try world.folder.read("state/generations/1/manifest.json")
        #expect(!String(decoding: text, as: UTF8.self).contains("PRIVATE"))
    }

    @Test("that rules need but that are missing lead to a warning")
    func missingKey() throws {
        let world = try LoaderWorld()
        try world.push(
            Self.rules(.offer(message: 0, productId: "p", offerIdentifier: "o")), as: "offer.rules.json")
        #expect(try world.load().warnings.map(\.code) == ["signing-key-missing"])
        let path = world.folder.path(of: "key.p8")
        try world.folder.write(SigningKey.generate().pem(), to: "key.p8", permissions: 0o600)
        try world.configure(apps: Self.apps([("K", path)]))
        #expect(try world.load().warnings.isEmpty)
        try world.push(
            Self.rules(.advancedCommerce(message: 0, request: Self.request)), as: "offer.rules.json")
        #expect(try world.load().warnings.isEmpty)
        let apps = Self.apps([("K", path)]).replacing(
            #""signingKeys""#,
            with: #""advancedCommerce": "off", "signingKeys""#
        )
        try world.configure(apps: apps)
        #expect(try world.load().warnings.map(\.code) == ["advanced-commerce-off"])
    }

    private static let request = """
        {"retainBillingCycle": true, "currency": "EUR", "requestInfo": {},
         "changeItems": [{"currentSKU": "L", "SKU": "S", "displayName": "s", "description": "s", "price": 4990,
                          "effective": "NEXT_BILL_CYCLE", "reason": "DOWNGRADE"}]}
        """

    private static func rules(_ outcome: RulesModel.Outcome) -> [UInt8] {
        var model = RulesModel(appAppleId: 1, bundleId: "com.example.one", environment: .production)
        let kind: MessageKind = if case .offer = outcome { .offer } else { .advancedCommerce }
        model.messages = [
            .init(
                name: "m", kind: kind,
                identifiers: [.init(locale: "en-US", identifier: UUID(high: 1, low: 2))])
        ]
        model.rules = [.init(id: "r", outcome: outcome)]
        model.defaultOutcome = .nothing
        return model.pushed
    }
}
