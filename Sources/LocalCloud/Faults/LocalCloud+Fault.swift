// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A way in which an endpoint fails, and how often it does.
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

    /// The selection of the requests that a fault applies to.
    public enum Frequency: Sendable, Hashable {
      /// Every request.
      case always
      /// Every nth request, counted since the faults were set: the requests n, 2n and so on.
      case every(Int)
      /// Random requests, with the given probability from 0 to 1, drawn from a generator with the seed of the faults.
      case chance(Double)
      /// The given number of first requests since the faults were set.
      case first(Int)
    }

    /// The time of a fault, relative to the operation of the request.
    public enum Phase: Sendable, Hashable {
      /// Before the operation, which is not carried out: even the body of the request is not read.
      case before
      /// After the operation, which is carried out; only its response is lost.
      case after
    }

    /// Returns a fault that replaces the response with a server error of the service.
    ///
    /// - Parameters:
    ///   - status: The status, 500 to 599; any other value becomes 500.
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the fault comes before or after the operation.
    /// - Returns: The fault.
    public static func serverError(
      status: Int = 500, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault {
      Fault(kind: .serverError(status: (500...599).contains(status) ? status : 500), frequency: frequency, phase: phase)
    }

    /// Returns a fault that closes the connection without a response.
    ///
    /// - Parameters:
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the fault comes before or after the operation.
    /// - Returns: The fault.
    public static func disconnect(_ frequency: Frequency = .always, _ phase: Phase = .before) -> Fault {
      Fault(kind: .disconnect, frequency: frequency, phase: phase)
    }

    /// Returns a fault that delays the head of the response.
    ///
    /// - Parameters:
    ///   - duration: The delay, performed with the configured sleep function.
    ///   - frequency: The requests that the fault applies to.
    ///   - phase: Whether the delay comes before or after the operation.
    /// - Returns: The fault.
    public static func delay(
      _ duration: Duration, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault {
      Fault(kind: .delay(duration), frequency: frequency, phase: phase)
    }

    /// Returns a fault that pauses the response within its body and then continues.
    ///
    /// - Parameters:
    ///   - duration: The length of the pause, performed with the configured sleep function.
    ///   - afterBytes: The number of bytes of the body before the pause; a shorter body pauses at its end.
    ///   - frequency: The requests that the fault applies to.
    /// - Returns: The fault.
    public static func stall(_ duration: Duration, afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .stall(duration, afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// Returns a fault that carries out the operation, but closes the connection within the body of the response.
    ///
    /// A body with no more than `afterBytes` bytes stops before its last byte; a response without a body stops before
    /// its head.
    ///
    /// - Parameters:
    ///   - afterBytes: The number of bytes of the body that are sent.
    ///   - frequency: The requests that the fault applies to.
    /// - Returns: The fault.
    public static func cut(afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .cut(afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// Returns a fault that truncates the XML or JSON document of a response to its first half.
    ///
    /// The status and `Content-Length` are those of a successful, complete response. Responses without a document are
    /// unchanged.
    ///
    /// - Parameter frequency: The requests that the fault applies to.
    /// - Returns: The fault.
    public static func malformed(_ frequency: Frequency = .always) -> Fault {
      Fault(kind: .malformed, frequency: frequency, phase: .after)
    }
  }
}
