public import DataFileWriting
public import DataFiles
internal import JSON
internal import Vocabulary
public import RulesReading

/// The options of ``RulesCompiler``.
public struct RulesCompilerOptions: Sendable {
    /// Apple's lists of the app's messages and images. With nil, every message counts as approved.
    public var inventory: Inventory?
    /// True when identifiers that Apple has not approved are also compiled for Production; they are then masked, so not
    /// served.
    public var allowsPending: Bool

    /// The messages of a catalogue. With nil, rules serve only the messages of their own source.
    public var catalogue: CatalogueMessages?

    /// Creates options; by default every message counts as approved, and there is no catalogue.
    public init(inventory: Inventory? = nil, allowsPending: Bool = false, catalogue: CatalogueMessages? = nil)
    {
        self.inventory = inventory
        self.allowsPending = allowsPending
        self.catalogue = catalogue
    }
}

/// Compiles a rules source, described in retention-rules(5), into a rules file.
///
///     let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "example 1.0")
///     let file = try RulesCompiler.compile(source, stamp: stamp)
///
/// The compiler ignores nothing in a source: an unknown key is an error. One run finds all errors.
public enum RulesCompiler {
    /// Returns the rules file of a source. The same source, options and stamp always give the same bytes.
    ///
    /// - Throws: all errors of the source.
    public static func compile(
        _ source: [UInt8], stamp: DataFileStamp, options: RulesCompilerOptions = RulesCompilerOptions()
    ) throws(RulesSourceError) -> [UInt8] {
        RulesFileWriter.write(try model(of: source, options: options), stamp: stamp)
    }

    /// Returns the model of a source.
    ///
    /// - Throws: all errors of the source.
    public static func model(of source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesSourceError) -> RulesModel
    {
        try RulesSource.read(source, catalogue: options.catalogue) { model, root in
            guard let inventory = options.inventory else { return }
            let check = InventoryCheck(
                inventory: inventory, allowsPending: options.allowsPending,
                catalogueImages: options.catalogue?.images ?? [:])
            check.apply(to: &model, root)
        }
    }
}
