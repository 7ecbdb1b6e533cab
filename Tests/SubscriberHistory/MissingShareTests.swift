import SubscriberHistory
import Testing

@Suite("The share of missing facts of 1,000 random subscribers", .timeLimit(.minutes(5)))
struct MissingShareTests {
    /// Returns the shares at two times of each life.
    private static func shares(where isMeant: (World.Loss) -> Bool) -> Shares {
        var shares = Shares()
        for world in WorldTests.worlds.joined() where isMeant(world.loss) {
            for now in world.moments(1) + [world.life.now] where world.times[0] <= now {
                for statement in HistoryFacts(world.life.payloads, now: now).statements {
                    shares.add(statement)
                }
            }
        }
        return shares
    }

    @Test("is small where everything arrives, and of what a payload shows nothing is missing")
    func whole() {
        let shares = Self.shares { $0 == .nothing }
        print("figures: missing facts without loss: \(shares.text)")
        #expect(shares.count > 20_000)
        #expect(shares.total < 10)
        for fact in [
            SubscriberFact.currentProductId, .status, .autoRenew, .expiresAt, .price, .inTrial, .inOffer,
        ] {
            #expect(shares[fact] == 0, "\(fact)")
        }
    }

    @Test("is bounded where payloads get lost")
    func halves() {
        let shares = Self.shares { $0 != .nothing }
        print("figures: missing facts with loss: \(shares.text)")
        #expect(shares.count > 20_000)
        #expect(shares.total < 35)
        for fact in [
            SubscriberFact.currentProductId, .status, .autoRenew, .expiresAt, .price, .inTrial, .inOffer,
        ] {
            #expect(shares[fact].map { $0 < 40 } ?? false, "\(fact)")
        }
    }
}
