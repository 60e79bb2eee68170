// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension Result {
  /// Returns the result of an asynchronous function.
  ///
  /// An initializer `init(catching:)` would replace the standard library's in all asynchronous code.
  package static func catching(_ body: () async throws(Failure) -> Success) async -> Result {
    do throws(Failure) {
      return .success(try await body())
    } catch { return .failure(error) }
  }
}
