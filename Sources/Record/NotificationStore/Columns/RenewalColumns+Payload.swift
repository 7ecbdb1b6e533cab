internal import SignedPayloads

extension RenewalColumns: PayloadColumns {
    init(_ content: RenewalInfo) {
        signedAt = content.signedDate
        originalTransactionID = content.originalTransactionId
        appTransactionID = content.appTransactionId
        appAccountToken = content.appAccountToken
        productID = content.productId
        renewalProductID = content.autoRenewProductId
        autoRenewStatus = content.autoRenewStatus.map(Int64.init)
        expirationIntent = content.expirationIntent.map(Int64.init)
        isInBillingRetry = content.isInBillingRetryPeriod
        gracePeriodExpiresAt = content.gracePeriodExpiresDate
        priceIncreaseStatus = content.priceIncreaseStatus.map(Int64.init)
        subscribedAt = content.recentSubscriptionStartDate
        renewsAt = content.renewalDate
        renewalPrice = content.renewalPrice
        currency = content.currency
        renewalQuantity = content.renewalQuantity.map(Int64.init)
        offerType = content.offerType.map(Int64.init)
        offerIdentifier = content.offerIdentifier
        offerDiscountType = content.offerDiscountType
        offerPeriod = content.offerPeriod
        renewalBillingPlan = content.renewalBillingPlanType
        if let skus = content.advancedCommerceSKUs, skus.count == 1 { sku = skus[0] }
    }

    static let members = [
        "signedDate": ["signed_at"], "originalTransactionId": ["original_transaction_id"],
        "appTransactionId": ["app_transaction_id"], "appAccountToken": ["app_account_token"],
        "productId": ["product_id"], "autoRenewProductId": ["renewal_product_id"],
        "autoRenewStatus": ["auto_renew_status"], "expirationIntent": ["expiration_intent"],
        "isInBillingRetryPeriod": ["is_in_billing_retry"],
        "gracePeriodExpiresDate": ["grace_period_expires_at"],
        "priceIncreaseStatus": ["price_increase_status"], "recentSubscriptionStartDate": ["subscribed_at"],
        "renewalDate": ["renews_at"], "renewalPrice": ["renewal_price"], "currency": ["currency"],
        "renewalQuantity": ["renewal_quantity"], "offerType": ["offer_type"],
        "offerIdentifier": ["offer_identifier"], "offerDiscountType": ["offer_discount_type"],
        "offerPeriod": ["offer_period"], "renewalBillingPlanType": ["renewal_billing_plan"],
        "advancedCommerceInfo": ["sku"], "items": ["sku"],
    ]
}
