internal import ArgumentParser
internal import Configuration
internal import NotificationStore
internal import Vocabulary

/// The options that name a store.
struct StoreSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store: sqlite:/absolute/path or postgresql://…, without a password; that of --config if absent.",
            valueName: "url")
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "retentiond.json, for what the other options do not say: the store, the apps, the anchors, paths.",
            valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var config: String?

    /// Returns the configuration that `--config` names; nil without it.
    func configuration() throws(ToolFailure) -> Configuration? {
        guard let config else { return nil }
        let bytes = try Input.read(config, limitBytes: ConfigurationLimits.fileBytes)
        return try ConfigurationError.mapped(
            to: { error in
                ToolFailure(.configuration, error.findings.map { $0.inFile(config) })
            },
            try Configuration(parsing: bytes)
        )
    }

    /// Returns the address of the store: that of `--store`, else that of the configuration.
    ///
    /// - Throws: `store.not-named`, `store.bad-address`, `store.password-in-address`, and the errors of the configuration.
    func address() throws(ToolFailure) -> StoreAddress {
        if let store { return try Self.address(store) }
        guard let store = try configuration()?.notifications?.store else {
            throw ToolFailure(StoreToolError.notNamed)
        }
        return try Self.address(store)
    }

    /// The files that these options name, which no output may replace: the configuration, and the store with the files beside it.
    func inputs() throws(ToolFailure) -> [String] { [config].compactMap { $0 } + (try address()).files }

    static func address(_ text: String) throws(ToolFailure) -> StoreAddress {
        try NotificationStoreError.mapped(to: { ToolFailure($0) }, try StoreAddress(text))
    }

    func open(_ access: StoreOptions.Access) throws(ToolFailure) -> NotificationStore {
        try Self.open(try address(), access)
    }

    /// Opens the store at an address. Failures name the address, which has no password.
    static func open(_ address: StoreAddress, _ access: StoreOptions.Access) throws(ToolFailure)
        -> NotificationStore
    {
        try NotificationStoreError.mapped(
            to: { ToolFailure($0, file: address.description) },
            try NotificationStore(address, options(access))
        )
    }

    /// The options of every opening.
    static func options(_ access: StoreOptions.Access) -> StoreOptions {
        var options = StoreOptions(access: access)
        options.program = ProductVersion.text
        options.hasLargeCache = true
        return options
    }
}
