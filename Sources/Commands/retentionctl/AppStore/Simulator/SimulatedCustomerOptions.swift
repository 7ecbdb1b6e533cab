internal import ArgumentParser
internal import JSON

/// The customer whom a command plays, and the simulator that knows the customer.
struct SimulatedCustomerOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The original transaction identifier.", valueName: "subscriber"))
    var subscriber: Int64

    @OptionGroup var simulator: SimulatorOptions

    /// Lets the simulator do what the customer does, and returns the notifications of it.
    ///
    /// - Throws: the failure that the simulator's word for it means.
    func play(_ name: String, _ members: [(String, JSONNode)]) throws -> SubscriberEvents {
        try SubscriberEvents(simulator.post(name, [("subscriber", .integer(subscriber))] + members))
    }
}
