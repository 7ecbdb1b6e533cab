import AppStoreTraffic
import CertificateAuthority
import Cryptography
import Support
import System
import Testing

extension EndToEnd {
    /// Attacks with what everybody has: Apple's public certificates, here those of the test authority.
    @Suite("An attack with the public chain")
    struct PublicChainTests {
        /// The attacker's requests a second, as far as the machine answers them.
        private static let rate = 2000.0

        @Test("written in other ways gets no sound request refused, after a HUP and after a restart")
        func copies() throws {
            try Tester.run { tester in
                try Self.check(tester, "before")
                let attacker = LoadClient(try Self.copies(tester))
                let attacking = try attacker.start()
                defer { attacker.stop() }
                try Self.wait(for: attacker, answers: 300)
                try TestRules.new.push(to: tester)
                try tester.daemon.send(.hangup)
                try #require(try tester.daemon.waitForLog("reload accepted"))
                try Self.check(tester, "after a HUP")
                try tester.daemon.send(.quit)
                try #require(try tester.daemon.waitForExit(seconds: 60) != nil)
                try tester.startDaemon()
                try Self.wait(for: attacker, answers: 300)
                try Self.check(tester, "after a restart")
                attacker.stop()
                let damage = try #require(attacking.join())
                try Self.check(damage)
            }
        }

        @Test("and invented leaves does not keep out a new leaf, which all workers soon know")
        func newLeaf() throws {
            try Tester.run { tester in
                try Self.check(tester, "before")
                let template = try Attack.junkLeaf.template(tester.forge, path: TestTraffic.path)
                let attacker = LoadClient(try tester.flood(template, perSecond: Self.rate))
                let attacking = try attacker.start()
                defer { attacker.stop() }
                // What may be verified at once after a quiet time is spent.
                try Self.wait(for: attacker, answers: 600)
                // Each invented leaf comes once, so that the second request of a leaf at one of two workers is the first
                // of its budget: three requests, and a few more until the other worker knows. Who only draws lots with
                // the others, one in a hundred, does not get four leaves in within ten requests each.
                for number in 1...4 {
                    let asked = try Self.present(tester, limit: 600)
                    print("figures: new leaf \(number) among invented ones: in after \(asked) requests")
                    #expect(asked <= 10)
                }
                attacker.stop()
                #expect(attacking.join() != nil)
            }
        }

        /// Sends a new leaf until 20 requests in a row were answered, which both workers have taken a part of, and then
        /// 100 more that must all be answered.
        ///
        /// - Returns: how many requests came before those 20.
        private static func present(_ tester: Tester, limit: Int) throws -> Int {
            let body = try tester.forge.body(leaf: tester.forge.leaf())
            var (asked, inARow) = (0, 0)
            while inARow < 20, asked < limit {
                asked += 1
                let isServed = tester.post(body)?.status == 200
                inARow = isServed ? inARow + 1 : 0
                Patience.pause(milliseconds: 50)
            }
            try #require(inARow == 20, "not in after \(asked) requests")
            for _ in 0..<100 {
                let answer = tester.post(body)
                #expect(answer?.status == 200, "it stays in")
            }
            return asked - inARow
        }

        private static func wait(for attacker: LoadClient, answers: Int) throws {
            let wanted = attacker.answered + answers
            let isAnswered = Patience.wait(seconds: 120) { attacker.answered >= wanted }
            try #require(isAnswered, "\(attacker.answered) of \(wanted)")
        }

        private static func check(_ tester: Tester, _ when: String) throws {
            let plan = try tester.load(connections: 8).with { $0.requestLimit = 300 }
            let report = LoadClient(plan).run()
            #expect(report.failures == 0, "\(when): \(report)")
            #expect(report.count(status: 200) == 300, "\(when): \(report)")
        }

        /// Each copy was refused for what it is; nginx answers for the pool while that is away.
        private static func check(_ damage: LoadReport) throws {
            var refused = 0
            for (answer, count) in damage.answers {
                if answer.body.contains(#""x5c-not-der""#) {
                    refused += count
                } else {
                    #expect(answer.body.contains(#""pool-unavailable""#), "\(answer)")
                }
            }
            #expect(refused >= 600, "\(damage)")
        }

        /// An open loop of requests with copies of the sound leaf that OpenSSL would take for it.
        private static func copies(_ tester: Tester) throws -> LoadPlan {
            let chain = tester.forge.trusted.chain
            let parts = CertificateParts(chain.leaf.der)
            let rest = Array(chain.x5c.dropFirst())
            var requests: [[UInt8]] = []
            for number in 0..<200 {
                let copy = parts.copy(number)
                let leaf = String(decoding: Base64.encode(copy.span), as: UTF8.self)
                let body = try tester.forge.body(x5c: [leaf] + rest)
                requests.append(PlainRequest.post(TestTraffic.path, body))
            }
            var plan = LoadPlan(port: tester.plainPort, connections: 64, requests: requests)
            plan.ratePerSecond = rate
            return plan
        }
    }
}
