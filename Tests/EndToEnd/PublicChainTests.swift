import AppStoreTraffic
import CertificateAuthority
import Cryptography
import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    /// Attacks with certificates that everybody has: Apple's public ones, here those of the test authority.
    @Suite("An attack with the public chain")
    struct PublicChainTests {
        /// The attacker's requests a second. A slow machine answers fewer.
        private static let rate = 2000.0

        @Test("in other encodings makes no valid request fail, also after a HUP and after a restart")
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

        @Test("and with invented leaves does not keep out a new leaf: all workers soon know it")
        func newLeaf() throws {
            try Tester.run { tester in
                try Self.check(tester, "before")
                let template = try Attack.junkLeaf.template(tester.forge, path: TestTraffic.path)
                let attacker = LoadClient(try tester.flood(template, perSecond: Self.rate))
                let attacking = try attacker.start()
                defer { attacker.stop() }
                // This uses up the chains that a worker may verify at once after a quiet time.
                try Self.wait(for: attacker, answers: 600)
                // Each invented leaf comes once. A leaf that comes to a worker for the second time is the first to use
                // the budget for chains that come again. So with two workers the new leaf is verified after three
                // requests, and the other worker knows it a few requests later. If it had to compete with the invented
                // leaves, with a chance of one in a hundred, four new leaves would not be verified within ten requests
                // each.
                for number in 1...4 {
                    let asked = try Self.present(tester, limit: 600)
                    print("figures: new leaf \(number) among invented ones: in after \(asked) requests")
                    #expect(asked <= 10)
                }
                attacker.stop()
                #expect(attacking.join() != nil)
            }
        }

        /// Sends requests with a new leaf until 20 in a row were answered, so that both workers have answered some of
        /// them. Then it sends 100 more, which must all be answered.
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
            try #require(inARow == 20, "not accepted after \(asked) requests")
            for _ in 0..<100 {
                let answer = tester.post(body)
                #expect(answer?.status == 200, "the leaf stays accepted")
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

        /// Expects that each copy was refused because it is not DER. While the pool does not run, nginx answers.
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

        /// An open loop of requests with copies of the valid leaf in other encodings, which OpenSSL would take for the
        /// valid leaf.
        private static func copies(_ tester: Tester) throws -> LoadPlan {
            let chain = tester.forge.trusted.chain
            let parts = CertificateParts(chain.leaf.der)
            let rest = Array(chain.x5c.dropFirst())
            var requests: [[UInt8]] = []
            for number in 0..<200 {
                let copy = parts.copy(number)
                let leaf = String(decoding: Base64.encode(copy.span), as: UTF8.self)
                let body = try tester.forge.body(x5c: [leaf] + rest)
                requests.append(RequestText.post(TestTraffic.path, body))
            }
            var plan = LoadPlan(port: tester.plainPort, connections: 64, requests: requests)
            plan.ratePerSecond = rate
            return plan
        }
    }
}
