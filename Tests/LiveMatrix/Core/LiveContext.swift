// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The environment, the network, the clock and the delay of repetitions of all steps.
struct LiveContext: Sendable {
  let environment: @Sendable (String) -> String?
  let transport: CountingTransport
  let time: any SigningClock
  let retryDelay: Duration

  /// The context in which credentials are fetched.
  var providers: ProviderContext {
    var context = ProviderContext.system(transport, time)
    context.environment = environment
    return context
  }

  /// Returns the value of a variable, or `nil` if it is unset or empty.
  func value(_ name: String) -> String? { environment(name)?.trimmed }

  /// Returns the settings of a client that transfers objects of more than a part in parts.
  func configuration(partSize: Int64 = 8 << 20, keysPerPage: Int = 1000) -> StorageClientConfiguration {
    StorageClientConfiguration(
      multipartThreshold: partSize + 1, partSize: partSize, keysPerPage: keysPerPage, retryDelay: retryDelay)
  }
}
