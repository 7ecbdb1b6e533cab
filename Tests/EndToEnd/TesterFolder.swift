import AppStoreTraffic
import CertificateAuthority
import Support
import System

/// The files that a pool needs to start: configuration, anchors, rules.
enum TesterFolder {
    static func write(_ tester: Tester) throws {
        let folder = tester.folder
        let isRoot = Credentials.current.userID == 0
        try folder.makeDirectory("data")
        try folder.makeDirectory("state", permissions: 0o700)
        try folder.makeDirectory("run", permissions: 0o750)
        if isRoot, let group = Accounts.groupID(named: "www-data") {
            try Directory.give(path: folder.path(of: "run"), toUser: 0, group: group)
        }
        try folder.write(tester.forge.trusted.chain.root.pem, to: "anchor.pem")
        try folder.write(tester.forge.strict.chain.root.pem, to: "strict.pem")
        try writeConfiguration(tester)
        if tester.options.startsDaemon { try TestRules.old.push(to: tester) }
    }

    /// Writes `retentiond.json` with the tester's options and these changes.
    static func writeConfiguration(_ tester: Tester, changes: [(name: String, json: String)] = []) throws {
        var object = TestObject([
            ("listen", tester.options.listen == .systemd ? "\"systemd\"" : "\"\(tester.poolAddress)\""),
            ("workers", "\(tester.options.workers)"),
            ("dataDirectory", "\"\(tester.folder.path(of: "data"))\""),
            ("stateDirectory", "\"\(tester.folder.path(of: "state"))\""),
            ("pidFile", "\"\(tester.folder.path(of: "run/retentiond.pid"))\""),
            ("anchors", "[\"\(tester.folder.path(of: "anchor.pem"))\"]"),
            ("apps", "[\(app(tester)),\(strictApp(tester))]"),
            // Bodies are signed before the load begins, so some are old when they are sent.
            ("maxSignedAgeSeconds", "3600"),
        ])
        if tester.options.deadlines == .patient { object = object.setting("deadlineMilliseconds", "10000") }
        if Credentials.current.userID != 0 {
            // Only root can give the socket to another group. Without root, nginx runs as the same user anyway.
            object = object.setting("listenGroup", "\"\(Credentials.current.groupID)\"")
        }
        for change in tester.options.configuration + changes {
            object = object.setting(change.name, change.json)
        }
        try tester.folder.write(object.text, to: "retentiond.json")
    }

    private static func app(_ tester: Tester) -> String {
        let object = TestObject([
            ("appAppleId", "\(TestPayload.appAppleId)"), ("bundleId", "\"com.example.app\""),
            ("environments", "[\"Production\"]"),
        ])
        return String(decoding: object.text, as: UTF8.self)
    }

    private static func strictApp(_ tester: Tester) -> String {
        let object = TestObject([
            ("appAppleId", "\(TestPayload.strictAppAppleId)"), ("bundleId", "\"com.example.strict\""),
            ("environments", "[\"Production\"]"),
            ("anchors", "[\"\(tester.folder.path(of: "strict.pem"))\"]"),
        ])
        return String(decoding: object.text, as: UTF8.self)
    }
}
