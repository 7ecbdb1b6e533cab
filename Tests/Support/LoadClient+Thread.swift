public import HTTPLoad

extension LoadClient {
    /// Runs the plan on a thread of its own.
    public func start() throws -> JoinableThread<LoadReport> {
        try JoinableThread { self.run() }
    }
}
