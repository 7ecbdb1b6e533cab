internal import Vocabulary

extension CataloguePlan {
    /// Adds one note when the plan uploads to Production what was never approved in Sandbox.
    ///
    /// - Parameters:
    ///   - sandbox: the same catalogue for Sandbox.
    ///   - knowledge: what the journal for Sandbox knows.
    public mutating func compare(withSandbox sandbox: ResolvedCatalogue, _ knowledge: JournalKnowledge) {
        let approved = Set(knowledge.items.filter { $0.value.wasApproved }.keys)
        let paths = Set(
            sandbox.images.filter { approved.contains(CatalogueItem(.image, $0.identifier)) }.map(\.path)
                + sandbox.messages.filter { approved.contains(CatalogueItem(.message, $0.identifier)) }.map(
                    \.path
                )
        )
        var uploads: [(title: String, path: String)] = []
        for step in steps {
            switch step {
            case .uploadImage(let image): uploads.append((step.title, image.path))
            case .uploadMessage(let message): uploads.append((step.title, message.path))
            case .waitForApproval, .setDefault, .setURL: break
            }
        }
        let untried = uploads.filter { !paths.contains($0.path) }
        guard let first = untried.first else { return }
        let count = "\(untried.count) of \(CountText.of(uploads.count, "upload"))"
        let verb = untried.count == 1 ? "was" : "were"
        notes.append(
            Finding(
                code: "catalogue-plan.not-tried-in-sandbox",
                severity: .note,
                "\(count) \(verb) never approved in Sandbox, as far as the journal knows: first the \(first.title)",
                hint:
                    "\"retentionctl catalogue apply\" with --environment Sandbox tries them before subscribers see them",
                path: first.path
            )
        )
    }
}
