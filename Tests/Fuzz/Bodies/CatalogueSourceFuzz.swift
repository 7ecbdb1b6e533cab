internal import Catalogue
internal import System

/// What a fuzzer feeds: reads any bytes as a catalogue without images. What has no error must resolve, to the same
/// identifiers each time; nothing may trap.
package func fuzzCatalogueSource(_ bytes: Span<UInt8>) {
    let source = bytes.copied()
    let images = ImageFiles(folder: "/nonexistent", decodesAll: false)
    let checked = CheckedCatalogue(source, images: images)
    precondition(CheckedCatalogue(source, images: images).findings == checked.findings, "other findings")
    guard !checked.hasErrors else {
        precondition((try? checked.resolved(for: .sandbox)) == nil, "resolved with errors")
        return
    }
    guard let resolved = try? checked.resolved(for: .sandbox) else { preconditionFailure("does not resolve") }
    precondition((try? checked.resolved(for: .sandbox)) == resolved, "resolves to something else")
    let texts = checked.catalogue.messages.reduce(0) { $0 + $1.texts.count }
    precondition(resolved.messages.count == texts, "a text without an identifier")
    precondition(Set(resolved.messages.map(\.identifier)).count == texts, "two texts with one identifier")
}
