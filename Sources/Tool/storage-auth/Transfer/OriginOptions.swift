// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The options for the service of the source, if the destination is in another.
struct OriginOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The URL of the source's service, if the destination is in another.", valueName: "url"))
  var fromEndpoint: String?

  @Option(help: ArgumentHelp("The region of the source, if the destination is in another.", valueName: "region"))
  var fromRegion: String?

  var isSet: Bool { fromEndpoint != nil || fromRegion != nil }

  /// Returns whether the options describe another service than those of the destination.
  func isOther(than options: BucketOptions) -> Bool {
    fromEndpoint.map { $0 != options.endpoint } ?? false || fromRegion.map { $0 != options.region } ?? false
  }

  /// Returns the options for the source: those without "from" are for the destination if the two are in different clouds.
  func stores(_ stores: StoreOptions, from source: Location, to destination: Location) -> StoreOptions {
    let isInOtherCloud = !destination.isFile && source.cloud != destination.cloud && destination != .standardStream
    var stores = stores
    stores.buckets.endpoint = fromEndpoint ?? (isInOtherCloud ? nil : stores.buckets.endpoint)
    stores.buckets.region = fromRegion ?? (isInOtherCloud ? nil : stores.buckets.region)
    return stores
  }
}
