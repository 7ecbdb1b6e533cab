internal import AppStoreSimulator

/// The failures of a simulator in which a user plays a customer.
enum PurchaseFailure {
    /// Returns the failure that a word of the simulator means; nil for any other word.
    static func failure(_ name: String, reason: String?) -> ToolFailure? {
        switch name {
        case "offer-refused":
            return ToolFailure(
                .no, code: "simulator.offer-refused",
                reason.flatMap(OfferRefusal.init)?.text ?? "the App Store does not sell the offer")
        case "unknown-product":
            return ToolFailure(
                .no, code: "simulator.unknown-product",
                "the simulator sells no such product; --subscription of `appstore serve` names it")
        case "unknown-subscriber":
            return ToolFailure(
                .no, code: "simulator.unknown-subscriber",
                "the simulator has no such subscriber; `appstore subscriber buy` makes one")
        case "already-subscribed":
            return ToolFailure(
                .no, code: "simulator.already-subscribed", "the simulator has this subscriber already")
        case "not-renewing":
            return ToolFailure(
                .no, code: "simulator.not-renewing", "the subscription has ended, or it does not renew")
        case "nothing-to-renew":
            return ToolFailure(.no, code: "simulator.nothing-to-renew", "no period has ended")
        default: return nil
        }
    }
}
