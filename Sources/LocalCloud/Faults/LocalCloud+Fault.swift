extension LocalCloud {
  /// One way in which an endpoint fails, and how often.
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

    /// Which requests a fault falls on.
    public enum Frequency: Sendable, Hashable {
      /// Every request.
      case always
      /// Every nth request: the nth, the 2nth and so on since the faults were set.
      case every(Int)
      /// Requests by chance, with a probability from 0 to 1, drawn from the seed of the faults.
      case chance(Double)
      /// The first requests, so many, since the faults were set.
      case first(Int)
    }

    /// Whether the operation is carried out.
    public enum Phase: Sendable, Hashable {
      /// The fault comes first: nothing was done. Not even the body of the request is read.
      case before
      /// The operation is carried out, and its answer is lost.
      case after
    }

    /// An error of the server in the words of the service, in place of the answer.
    ///
    /// - Parameters:
    ///   - status: The status, 500 to 599; any other becomes 500.
    ///   - frequency: Which requests.
    ///   - phase: Whether the operation is carried out.
    public static func serverError(
      status: Int = 500, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault {
      Fault(kind: .serverError(status: (500...599).contains(status) ? status : 500), frequency: frequency, phase: phase)
    }

    /// The connection is closed without an answer.
    ///
    /// - Parameters:
    ///   - frequency: Which requests.
    ///   - phase: Whether the operation is carried out.
    public static func disconnect(_ frequency: Frequency = .always, _ phase: Phase = .before) -> Fault {
      Fault(kind: .disconnect, frequency: frequency, phase: phase)
    }

    /// The head of the answer is late.
    ///
    /// - Parameters:
    ///   - duration: How late, by the configured sleep.
    ///   - frequency: Which requests.
    ///   - phase: Whether the operation is carried out before the wait or after it.
    public static func delay(
      _ duration: Duration, _ frequency: Frequency = .always, _ phase: Phase = .before
    ) -> Fault {
      Fault(kind: .delay(duration), frequency: frequency, phase: phase)
    }

    /// The answer stops in its body, and goes on.
    ///
    /// - Parameters:
    ///   - duration: For how long, by the configured sleep.
    ///   - afterBytes: After how many bytes of the body; at its end if that is earlier.
    ///   - frequency: Which requests.
    public static func stall(_ duration: Duration, afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .stall(duration, afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// The answer to an operation that was carried out stops in its body, and the connection is closed.
    ///
    /// An answer without that many bytes in its body ends before its last one, and one without a body before its head.
    ///
    /// - Parameters:
    ///   - afterBytes: After how many bytes of the body.
    ///   - frequency: Which requests.
    public static func cut(afterBytes: Int = 1, _ frequency: Frequency = .always) -> Fault {
      Fault(kind: .cut(afterBytes: max(afterBytes, 0)), frequency: frequency, phase: .after)
    }

    /// The document in the answer, XML or JSON, cannot be read: its second half is missing.
    ///
    /// The status and the length say that all is well. An answer that is no document is left as it is.
    ///
    /// - Parameter frequency: Which requests.
    public static func malformed(_ frequency: Frequency = .always) -> Fault {
      Fault(kind: .malformed, frequency: frequency, phase: .after)
    }
  }
}
