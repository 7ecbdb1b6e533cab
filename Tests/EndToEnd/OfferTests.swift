import CertificateAuthority
import Cryptography
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("Answers of every kind")
    struct OfferTests {
        /// Runs `body` with a pool that has these keys. The last key signs.
        private static func run(
            keys: [String] = ["2X9R4HXF34"], form: String = "v2", commerce: Bool = true,
            _ body: (Tester) throws -> Void
        ) throws {
            let options = TesterOptions().with {
                $0.startsDaemon = false
                $0.configuration = [("reloadIntervalMilliseconds", "0")]
            }
            try Tester.run(options) { tester in
                for id in keys { _ = try TestOffers.writeKey(id, to: tester) }
                try TestOffers.configure(tester, keys: keys, form: form, commerce: commerce)
                try TestOffers.pushRules(to: tester)
                try tester.startDaemon()
                try body(tester)
            }
        }

        @Test("have the form that Apple documents: one member and nothing else", arguments: ["v1", "v2"])
        func golden(form: String) throws {
            try Self.run(form: form) { tester in
                var text = ""
                for product in ["message", "switch", "plain switch", "offer", "commerce"] {
                    let answer = try TestOffers.ask(tester, product: product)
                    #expect(answer.status == 200)
                    #expect(answer.header("Content-Type") == "application/json")
                    if product == "offer" || product == "commerce" {
                        #expect(try TestOffers.verification(tester, answer, key: "2X9R4HXF34") == 0)
                    }
                    text += "\(product)\n\(try DecodedAnswer(answer.body).text)\n\n"
                }
                try GoldenFile.check(text, "Tests/EndToEnd/Golden/answers-\(form).txt")
            }
        }

        @Test("are signed anew for each request, with the current time")
        func fresh() throws {
            try Self.run { tester in
                var nonces: Set<String> = []
                var signatures: Set<String> = []
                for round in 0..<100 {
                    if round == 50 { try Self.accept(tester, count: 1) }
                    for product in ["offer", "commerce"] {
                        let before = Clock.wallMilliseconds() / 1000
                        let answer = try DecodedAnswer(TestOffers.ask(tester, product: product).body)
                        let after = Clock.wallMilliseconds() / 1000
                        let token = try #require(answer.tokens.first)
                        nonces.insert(try #require(token.nonce))
                        // The number r of ECDSA depends on nothing but its random number. The signed text differs
                        // anyway.
                        signatures.insert(
                            String(try #require(token.text.split(separator: ".").last).prefix(42))
                        )
                        #expect((before...after).contains(try #require(token.issuedAt)))
                    }
                }
                // Two workers of one generation and two of the next one made these signatures.
                #expect(nonces.count == 200)
                #expect(signatures.count == 200)
            }
        }

        @Test("are an unsigned message when there is no key, or when this kind of signature is off")
        func unsigned() throws {
            try Self.run(keys: []) { tester in
                for product in ["offer", "commerce"] {
                    let answer = try TestOffers.ask(tester, product: product)
                    #expect(answer.status == 200 && answer.body == TestRules.old.answer, "\(product)")
                }
                #expect(try tester.daemon.logCount("signing-key-missing") == 1)
                let status = try #require(tester.get("/retention-status?json")?.body)
                #expect(status.contains("rules"))
            }
            try Self.run(commerce: false) { tester in
                let answer = try TestOffers.ask(tester, product: "commerce")
                #expect(answer.body == TestRules.old.answer)
                #expect(try TestOffers.keyID(tester) == "2X9R4HXF34")
                #expect(try tester.daemon.logCount("advanced-commerce-off") == 1)
            }
        }

        @Test("are signed with a new key after a reload, and with the old key while the new one is bad")
        func rotation() throws {
            try Self.run(keys: ["OLD"]) { tester in
                #expect(try TestOffers.keyID(tester) == "OLD")
                // The next key is configured but does not sign yet.
                try TestOffers.configure(tester, keys: ["NEW", "OLD"])
                for (index, bad) in try Self.badKeys().enumerated() {
                    try Directory.removeFile(path: tester.folder.path(of: "NEW.p8"))
                    if let text = bad.text {
                        try tester.folder.write(text, to: "NEW.p8", permissions: bad.permissions)
                    }
                    try Self.refuse(tester, bad.code, count: index + 1)
                }
                _ = try TestOffers.writeKey("NEW", to: tester)
                try Self.accept(tester, count: 1)
                #expect(try TestOffers.keyID(tester) == "OLD")
                try TestOffers.configure(tester, keys: ["OLD", "NEW"])
                try Self.accept(tester, count: 2)
                #expect(try TestOffers.keyID(tester) == "NEW")
                let answer = try TestOffers.ask(tester, product: "offer")
                #expect(try TestOffers.verification(tester, answer, key: "NEW") == 0)
                #expect(try TestOffers.verification(tester, answer, key: "OLD") == 1)
                // Workers that start later sign with the new key too.
                for worker in try tester.workers { try Processes.send(.kill, to: worker) }
                try #require(Patience.wait(seconds: 60) { (try? TestOffers.keyID(tester)) == "NEW" })
            }
        }

        private static func badKeys() throws -> [(code: String, text: String?, permissions: UInt32)] {
            let key = try SigningKey.generate().pem()
            let options = ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:x"]
            let encrypted = try Programs.run("openssl", options, input: Array(key.utf8)).output
            return try [
                ("signing-key-unreadable", nil, 0o600), ("signing-key-exposed", key, 0o644),
                ("signing-key-malformed", String(key.prefix(100)), 0o600),
                ("signing-key-encrypted", encrypted, 0o600),
                ("signing-key-unsuitable", PrivateKey.generate(.p384).pem(), 0o600),
                ("signing-key-unsuitable", PrivateKey.generate(.rsa2048).pem(), 0o600),
                ("signing-key-not-private", AppleCertificates.rootG3.certificate().pem, 0o600),
            ]
        }

        @Test("are unsigned in a worker that finds another key than the one that was loaded, until a reload")
        func replacedKey() throws {
            try Self.run(keys: ["KEY"]) { tester in
                #expect(try TestOffers.keyID(tester) == "KEY")
                _ = try TestOffers.writeKey("KEY", to: tester)
                for worker in try tester.workers { try Processes.send(.kill, to: worker) }
                let isUnsigned = Patience.wait(seconds: 60) {
                    let answer = try? TestOffers.ask(tester, product: "offer")
                    return answer?.status == 200 && answer?.body == TestRules.old.answer
                }
                #expect(isUnsigned && tester.daemonLog.contains("code=signing-key-missing"))
                let status = try #require(tester.get("/retention-status?json")?.body)
                #expect(status.contains(#""missing keys":1"#) && !status.contains(#""rules_sign_failed":0"#))
                try Self.accept(tester, count: 1)
                #expect(try TestOffers.keyID(tester) == "KEY")
            }
        }

        @Test("are unsigned when the key is bad at the daemon's start, and signed again when it is mended")
        func restart() throws {
            try Self.run(keys: ["KEY"]) { tester in
                #expect(try TestOffers.keyID(tester) == "KEY")
                let key = try tester.folder.read("KEY.p8")
                try Directory.removeFile(path: tester.folder.path(of: "KEY.p8"))
                try tester.daemon.send(.quit)
                try #require(try tester.daemon.waitForExit(seconds: 10) != nil)
                try tester.startDaemon()
                #expect(tester.daemonLog.contains("signing-key-unreadable"), "\(tester.daemonLog)")
                let answer = try TestOffers.ask(tester, product: "offer")
                #expect(answer.status == 200 && answer.body == TestRules.old.answer)
                try tester.folder.write(key, to: "KEY.p8", permissions: 0o600)
                try Self.accept(tester, count: 1)
                #expect(try TestOffers.keyID(tester) == "KEY")
            }
        }

        /// Expects that `-t` and a reload are refused with this code and that offers are signed as before.
        private static func refuse(_ tester: Tester, _ code: String, count: Int) throws {
            let check = try Programs.run(
                Programs.daemon(), ["-t", "--allow-root", "--config", tester.configurationPath])
            #expect(check.status != 0)
            #expect(check.errors.contains("(\(code))"), "\(check.errors)")
            try tester.daemon.send(.hangup)
            try #require(try tester.daemon.waitForLog("reload refused", count: count))
            #expect(tester.daemonLog.contains(code), "\(tester.daemonLog)")
            #expect(try TestOffers.keyID(tester) == "OLD")
        }

        private static func accept(_ tester: Tester, count: Int) throws {
            try tester.daemon.send(.hangup)
            try #require(try tester.daemon.waitForLog("reload accepted", count: count))
            let workers = tester.options.workers
            try #require(Patience.wait(seconds: 60) { (try? tester.workers.count) == workers })
        }
    }
}
