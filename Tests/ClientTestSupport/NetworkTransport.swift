// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPTransport
import Foundation
import FoundationTransport
package import StorageAuth

/// The transport of the suites that use a network.
///
/// It is the default transport of the platform, or `URLSessionTransport` if the environment variable
/// `STORAGE_AUTH_TEST_TRANSPORT` is `urlsession`.
package enum NetworkTransport {
  /// A Boolean value that indicates whether requests are sent with `URLSession`.
  package static let isURLSession = ProcessInfo.processInfo.environment["STORAGE_AUTH_TEST_TRANSPORT"] == "urlsession"

  /// The keys in the tests that have a segment `.` or `..`, which `URLSessionTransport` refuses to send.
  package static let keysRefusedByURLSession: Set<String> = ["a/../b", "a/./b", "..", "../victim"]

  /// The transport that all suites share.
  package static let shared: any HTTPTransport =
    isURLSession ? URLSessionTransport.shared : AsyncHTTPClientTransport.shared

  /// Creates a transport with connections of its own.
  package static func make(_ timeouts: HTTPTimeouts = HTTPTimeouts()) -> any HTTPTransport {
    isURLSession ? URLSessionTransport(timeouts: timeouts) : AsyncHTTPClientTransport(timeouts: timeouts)
  }
}
