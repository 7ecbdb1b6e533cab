internal import JSON
internal import Vocabulary

/// The customer whom a request plays.
struct SimulatedCustomer {
    /// The members of the request.
    let root: JSONValue
    /// The original transaction identifier.
    let number: Int64
    let app: SimulatorConfiguration.App
    let environment: Environment
}
