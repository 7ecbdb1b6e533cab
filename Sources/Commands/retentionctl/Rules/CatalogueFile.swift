internal import Catalogue
internal import RulesCompiler
internal import System
internal import Vocabulary
internal import RulesReading

/// A catalogue that was read from a file.
struct CatalogueFile {
    let path: String
    let text: [UInt8]
    let checked: CheckedCatalogue

    init(_ path: String) throws(ToolFailure) {
        self.path = path
        text = try Input.read(path, limitBytes: CatalogueLimits.sourceByteCount)
        checked = CheckedCatalogue(
            text, images: ImageFiles(folder: AtomicFile.split(path).directory, decodesAll: false))
    }

    /// The messages for every environment that rules can have.
    ///
    /// - Throws: the errors of the catalogue.
    func messages() throws(ToolFailure) -> CatalogueMessages {
        try CatalogueError.mapped(to: { ToolFailure($0, file: path) }, try CatalogueMessages(checked))
    }
}
