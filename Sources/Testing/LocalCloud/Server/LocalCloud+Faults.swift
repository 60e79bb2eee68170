// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The faults that the server injects into requests and transfers.
  ///
  /// By default, the server injects no faults.
  ///
  /// ```swift
  /// cloud.faults[.sts] = [.serverError(.every(10)), .delay(.seconds(2), .chance(0.05))]
  /// cloud.faults.requestsPerCredential = 100
  /// ```
  public struct Faults: Sendable, Hashable {
    /// The offset of the server's clock from the configured clock, which is negative if the server's clock is behind.
    ///
    /// It affects everything that depends on time: `Date` headers, validity of signatures, and token expirations.
    public var clockOffset: Duration

    /// The number of requests after which an issued temporary credential counts as expired.
    ///
    /// With 0, the credential expires immediately; with `nil`, requests have no effect. Each request to a storage
    /// service with the credential's key ID counts, even if it is rejected. The limit also applies to credentials that
    /// were issued before it was set.
    public var requestsPerCredential: Int?

    /// The seed of the `chance` faults; the same seed and the same order of requests result in the same faults.
    public var seed: UInt64
    /// The faults of Aspera transfers; the first fault in the list that applies to a transfer takes effect.
    public var transfers: [TransferFault]
    private var faultsByEndpoint: [Endpoint: [Fault]] = [:]

    /// Creates a fault configuration in which no endpoint has faults yet; the parameters are the properties.
    public init(
      clockOffset: Duration = .zero, requestsPerCredential: Int? = nil, seed: UInt64 = 0,
      transfers: [TransferFault] = []
    ) {
      (self.clockOffset, self.requestsPerCredential) = (clockOffset, requestsPerCredential)
      (self.seed, self.transfers) = (seed, transfers)
    }

    /// The faults that the server injects into requests to an endpoint.
    ///
    /// If several faults apply to one request, all delays add up; of the others, only the first takes effect.
    ///
    /// - Parameter endpoint: The endpoint, such as `.sts`.
    public subscript(endpoint: Endpoint) -> [Fault] {
      get { faultsByEndpoint[endpoint] ?? [] }
      set { faultsByEndpoint[endpoint] = newValue.isEmpty ? nil : newValue }
    }
  }

  /// A failure, such as a closed connection, that the server injects into all or some requests to an endpoint.
  public struct Fault: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case serverError(status: Int)
      case disconnect
      case delay(Duration)
      case stall(Duration, afterBytes: Int)
      case cut(afterBytes: Int)
      case malformed
    }

    let kind: Kind
    let frequency: Frequency
    let phase: Phase

    /// A rule that selects the requests, or the connections of Aspera transfers, to which an injected fault applies.
    public enum Frequency: Sendable, Hashable {
      /// The fault applies to every request or connection.
      case always
      /// The fault applies to every nth one since the faults were set, and with 0 or a negative number to none.
      case every(Int)
      /// The fault applies to random ones, with the given probability from 0 to 1; the seed determines which.
      case chance(Double)
      /// The fault applies to the given number of them after the faults were set, and to no later ones.
      case first(Int)
    }

    /// The time at which an injected fault occurs, relative to the operation that the request asks for.
    public enum Phase: Sendable, Hashable {
      /// The fault occurs before the operation, which is not carried out; not even the request body is read.
      case before
      /// The fault occurs after the operation; only its response is lost.
      case after
    }

    /// Returns a fault that replaces the response with a server error of the service.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code, 500 to 599; any other value becomes 500.
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the fault occurs before or after the operation.
    public static func serverError(
      status: Int = 500, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault {
      Fault(kind: .serverError(status: (500...599).contains(status) ? status : 500), frequency: frequency, phase: phase)
    }

    /// Returns a fault that closes the connection without a response.
    ///
    /// - Parameters:
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the fault occurs before or after the operation.
    public static func disconnect(_ frequency: Frequency = .always, _ phase: Phase = .before) -> Fault {
      Fault(kind: .disconnect, frequency: frequency, phase: phase)
    }

    /// Returns a fault that delays the head of the response.
    ///
    /// - Parameters:
    ///   - duration: The delay, which the server waits for with the configured sleep function.
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the delay comes before or after the operation.
    public static func delay(
      _ duration: Duration, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault { Fault(kind: .delay(duration), frequency: frequency, phase: phase) }

    /// Returns a fault that pauses in the middle of the response body and then continues.
    ///
    /// - Parameters:
    ///   - duration: The length of the pause, which the server waits for with the configured sleep function.
    ///   - afterBytes: The number of body bytes that are sent before the pause. If the body is shorter, the pause comes
    ///     at its end.
    ///   - frequency: The requests that the fault applies to.
    public static func stall(_ duration: Duration, afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .stall(duration, afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// Returns a fault that carries out the operation, but closes the connection in the middle of the response body.
    ///
    /// If the body has at most `afterBytes` bytes, the connection closes before the last byte. If the response has no
    /// body, the connection closes before the response head.
    ///
    /// - Parameters:
    ///   - afterBytes: The number of body bytes that are sent.
    ///   - frequency: The requests that the fault applies to.
    public static func cut(afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .cut(afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// Returns a fault that makes the XML or JSON document of a response malformed: only its first half is sent.
    ///
    /// The operation is carried out, the status remains, and `Content-Length` is that of the half. Responses without a
    /// document are unchanged.
    ///
    /// - Parameter frequency: The requests that the fault applies to.
    public static func malformed(_ frequency: Frequency = .always) -> Fault {
      Fault(kind: .malformed, frequency: frequency, phase: .after)
    }
  }

  /// A failure with an ascp error code that the server injects into all or some Aspera transfers.
  ///
  /// ```swift
  /// cloud.faults.transfers = [.failure(code: 16, .afterBytes(1_000_000), .first(2)), .tokenExpired(.every(3))]
  /// ```
  public struct TransferFault: Sendable, Hashable {
    /// The point of a transfer at which an injected fault occurs.
    public enum Location: Sendable, Hashable {
      /// The fault occurs at the start of the connection, before the login.
      case connecting
      /// The fault occurs at the end of the login, before the session begins.
      case afterAuthentication
      /// The fault occurs after the given number of content bytes, or before the completion of a shorter transfer.
      case afterBytes(Int64)
    }

    /// The ascp error code of a rejected token (`UNAUTHORIZED`).
    private static let unauthorizedCode = 34

    let code: Int
    let text: String?
    let location: Location
    let frequency: Fault.Frequency

    /// Returns a transfer fault with an ascp error code.
    ///
    /// - Parameters:
    ///   - code: The error code, 0 to 66, from ascp's table of errors.
    ///   - location: The point of the transfer at which the fault occurs.
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - text: The description of the error, or `nil` for the default description of the code.
    public static func failure(
      code: Int, _ location: Location = .afterAuthentication, _ frequency: Fault.Frequency = .always,
      text: String? = nil
    ) -> TransferFault { TransferFault(code: code, text: text, location: location, frequency: frequency) }

    /// Returns a transfer fault that reports the token as expired, even if the token is valid.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - location: The point of the transfer at which the fault occurs.
    public static func tokenExpired(
      _ frequency: Fault.Frequency = .always, _ location: Location = .afterAuthentication
    ) -> TransferFault {
      failure(
        code: unauthorizedCode, location, frequency, text: "The server refused the session: token expired 1 seconds ago"
      )
    }

    /// Returns a transfer fault that rejects the token, even if the token is valid.
    ///
    /// - Parameters:
    ///   - frequency: The transfers that the fault applies to, counted by connection.
    ///   - location: The point of the transfer at which the fault occurs.
    public static func tokenRefused(
      _ frequency: Fault.Frequency = .always, _ location: Location = .afterAuthentication
    ) -> TransferFault {
      failure(
        code: unauthorizedCode, location, frequency, text: "The server refused the session: token denied by server")
    }
  }
}
