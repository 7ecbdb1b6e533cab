package import AppStoreServerAPI
public import ArgumentParser
package import Authoring
package import Facts
package import Reply

extension AppStoreServerOperation: ExpressibleByArgument {}

extension FactsFormat: ExpressibleByArgument {}

extension FactsBuilder.Duplicates: ExpressibleByArgument {}

extension OfferSignature: ExpressibleByArgument {}
