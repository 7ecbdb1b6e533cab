internal import AppStoreServerAPI
internal import Cryptography
internal import Vocabulary

/// Uploads of images and messages.
extension CatalogueApply {
    func upload(_ image: ResolvedCatalogue.Image, _ step: CataloguePlan.Step) throws(ApplyFailure) {
        let item = CatalogueItem(.image, image.identifier)
        begin(step)
        let png: [UInt8]
        do throws(ImageFiles.Problem) {
            png = try readImage(image)
        } catch {
            unavailable.insert(item)
            refuse(step, code: "catalogue-apply.image-unreadable", "\(image.file) cannot be read any more.")
            return
        }
        guard SHA256.hash(png.span) == image.fileDigest else {
            unavailable.insert(item)
            refuse(
                step, code: "catalogue-apply.image-changed",
                "\(image.file) has changed since the plan was made. Make a new plan.")
            return
        }
        try upload(item, image.names.first ?? "", step) { api throws(AppStoreServerAPIError) in
            try api.uploadImage(png, as: image.identifier, size: image.size)
        }
    }

    func upload(_ message: ResolvedCatalogue.Message, _ step: CataloguePlan.Step) throws(ApplyFailure) {
        let item = CatalogueItem(.message, message.identifier)
        guard !message.images.contains(where: { unavailable.contains(CatalogueItem(.image, $0)) }) else {
            unavailable.insert(item)
            hold(step)
            return
        }
        begin(step)
        try upload(item, "\(message.name) \(message.locale)", step) { api throws(AppStoreServerAPIError) in
            try api.uploadMessage(message.body, as: message.identifier)
        }
    }

    private func upload(
        _ item: CatalogueItem, _ name: String, _ step: CataloguePlan.Step,
        _ call: (any RetentionMessagingAPI) throws(AppStoreServerAPIError) -> ChangeOutcome
    ) throws(ApplyFailure) {
        if let refusal = limitRefusals[item.kind] {
            unavailable.insert(item)
            refuse(step, code: refusal.code, refusal.message)
            return
        }
        try record(.uploadStarted(item, name: name), isDurable: true)
        let answer: Result<ChangeOutcome, AppStoreServerAPIError> = Result {
            () throws(AppStoreServerAPIError) in
            try call(api)
        }
        let failure: AppStoreServerAPIError
        switch answer {
        case .success(let outcome):
            try record(.uploadDone(item, outcome))
            finish(step)
            return
        case .failure(let error): failure = error
        }
        if failure.appleCode == .imageAlreadyExists || failure.appleCode == .messageAlreadyExists {
            try resolveConflict(item, step, failure)
            return
        }
        switch failure.scope {
        case .run: throw .api(failure)
        case .kind:
            limitRefusals[item.kind] = ApplyReport.Refusal(
                step: step, code: failure.code, message: failure.description)
        case .call, .approval: break
        }
        try record(.refused(item, code: failure.code))
        unavailable.insert(item)
        refuse(step, code: failure.code, failure.description)
    }

    /// Finds out why Apple says that an identifier exists. When Apple lists the item, an earlier call whose answer was lost, or
    /// another process, has uploaded it. Otherwise the identifier was used before, and its item was deleted.
    private func resolveConflict(
        _ item: CatalogueItem, _ step: CataloguePlan.Step, _ failure: AppStoreServerAPIError
    ) throws(ApplyFailure) {
        if try AppStoreServerAPIError.mapped(to: ApplyFailure.api, try isListed(item)) {
            try record(.uploadDone(item, .foundAfterwards))
            finish(step)
            return
        }
        try record(.refused(item, code: failure.code))
        unavailable.insert(item)
        refuse(
            step,
            code: "catalogue-apply.identifier-used",
            "Apple refuses the identifier and does not list it, so it was used and deleted before: "
                + "\(step.advice ?? "remove the pin to upload it under a new identifier")."
        )
    }

    private func isListed(_ item: CatalogueItem) throws(AppStoreServerAPIError) -> Bool {
        switch item.kind {
        case .image: try api.listImages().contains { $0.imageIdentifier == item.identifier }
        case .message: try api.listMessages().contains { $0.messageIdentifier == item.identifier }
        }
    }
}

extension CataloguePlan.Step {
    /// The advice to give the content of an upload a new identifier; nil when the catalogue pins the identifier.
    fileprivate var advice: String? {
        switch self {
        case .uploadImage(let image) where !image.isPinned:
            PlanProblem.advice("set", revision: image.revision + 1, path: image.path)
        case .uploadMessage(let message) where !message.isPinned:
            PlanProblem.advice("set", revision: message.revision + 1, path: message.path)
        default: nil
        }
    }
}
