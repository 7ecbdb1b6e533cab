/// A system on which recorders of the benchmark store notifications. Each run begins with an empty store.
protocol StoreBed {
    /// The name of the system.
    var name: String { get }
    /// Makes an empty store whose files are synchronised in this way. Returns the address of the store, and the entries of
    /// the environment of the program that uses it.
    func make(_ synchronisation: Synchronisation) throws -> (address: String, environment: [String])
    /// Removes the last store.
    func remove() throws
}
