internal import SignedPayloads

extension TransactionColumns: PayloadColumns {
    init(_ content: Transaction) {
        signedAt = content.signedDate
        originalTransactionID = content.originalTransactionId
        transactionID = content.transactionId
        webOrderLineItemID = content.webOrderLineItemId
        previousOriginalTransactionID = content.previousOriginalTransactionId
        appTransactionID = content.appTransactionId
        appAccountToken = content.appAccountToken
        productID = content.productId
        subscriptionGroupID = content.subscriptionGroupIdentifier
        type = content.type
        ownership = content.inAppOwnershipType
        purchasedAt = content.purchaseDate
        originallyPurchasedAt = content.originalPurchaseDate
        expiresAt = content.expiresDate
        quantity = content.quantity.map(Int64.init)
        revokedSeatQuantity = content.revokedSeatQuantity.map(Int64.init)
        reason = content.transactionReason
        additionalReason = content.additionalTransactionReason
        isUpgraded = content.isUpgraded
        price = content.price
        currency = content.currency
        storefront = content.storefront
        offerType = content.offerType.map(Int64.init)
        offerIdentifier = content.offerIdentifier
        offerDiscountType = content.offerDiscountType
        offerPeriod = content.offerPeriod
        revokedAt = content.revocationDate
        revocationReason = content.revocationReason.map(Int64.init)
        revocationType = content.revocationType
        revocationPercentage = content.revocationPercentage.map(Int64.init)
        billingPlan = content.billingPlanType
        commitmentPeriod = content.commitment?.billingPeriodNumber.map(Int64.init)
        commitmentPeriods = content.commitment?.totalBillingPeriods.map(Int64.init)
        if let skus = content.advancedCommerceSKUs, skus.count == 1 { sku = skus[0] }
    }

    static let members = [
        "signedDate": ["signed_at"], "originalTransactionId": ["original_transaction_id"],
        "transactionId": ["transaction_id"], "webOrderLineItemId": ["web_order_line_item_id"],
        "previousOriginalTransactionId": ["previous_original_transaction_id"],
        "appTransactionId": ["app_transaction_id"], "appAccountToken": ["app_account_token"],
        "productId": ["product_id"], "subscriptionGroupIdentifier": ["subscription_group_id"],
        "type": ["type"], "inAppOwnershipType": ["ownership"], "purchaseDate": ["purchased_at"],
        "originalPurchaseDate": ["originally_purchased_at"], "expiresDate": ["expires_at"],
        "quantity": ["quantity"], "multiSeatInfo": ["revoked_seat_quantity"],
        "revokedSeatQuantity": ["revoked_seat_quantity"], "transactionReason": ["reason"],
        "additionalTransactionReason": ["additional_reason"], "isUpgraded": ["is_upgraded"],
        "price": ["price"], "currency": ["currency"], "storefront": ["storefront"],
        "offerType": ["offer_type"], "offerIdentifier": ["offer_identifier"],
        "offerDiscountType": ["offer_discount_type"], "offerPeriod": ["offer_period"],
        "revocationDate": ["revoked_at"], "revocationReason": ["revocation_reason"],
        "revocationType": ["revocation_type"], "revocationPercentage": ["revocation_percentage"],
        "billingPlanType": ["billing_plan"], "commitmentInfo": ["commitment_period", "commitment_periods"],
        "billingPeriodNumber": ["commitment_period"], "totalBillingPeriods": ["commitment_periods"],
        "advancedCommerceInfo": ["sku"], "items": ["sku"],
    ]
}
