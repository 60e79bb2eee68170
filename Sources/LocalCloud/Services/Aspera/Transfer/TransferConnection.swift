internal import AsperaAuth
internal import Synchronization

/// One connection to the desk: who is at its other end, and what they may do.
final class TransferConnection: Sendable {
  /// A session that began.
  struct Session: Sendable {
    let direction: TransferDirection
    let claim: TransferClaim?
  }

  /// A file that is under way.
  enum OpenFile: Sendable {
    case sending(Content)
    case receiving(NodePath, byteCount: Int64, [Extent])
    case done
  }

  private struct State {
    var account: LocalCloud.TransferAccount?
    var session: Session?
    var files: [OpenFile] = []
    var byteCount: Int64 = 0
  }

  /// How many bytes go through at once, if a fault does not want fewer.
  private static let pieceByteCount: Int64 = 1024 * 1024

  private let fault: LocalCloud.TransferFault?
  private let state = Mutex(State())

  init(_ fault: LocalCloud.TransferFault?) {
    self.fault = fault
  }

  /// The account that logged in.
  var account: LocalCloud.TransferAccount? {
    get { state.withLock { $0.account } }
    set { state.withLock { $0.account = newValue } }
  }

  /// The session that began.
  var session: Session? {
    get { state.withLock { $0.session } }
    set { state.withLock { $0.session = newValue } }
  }

  /// How many bytes are to be sent or asked for at once.
  var pieceByteCount: Int64 {
    guard case .afterBytes(let bytes)? = fault?.place else { return Self.pieceByteCount }
    return min(max(bytes, 1), Self.pieceByteCount)
  }

  /// The fault that is to happen at a place.
  func fault(at place: LocalCloud.TransferFault.Place) -> LocalCloud.TransferFault? {
    fault.flatMap { $0.place == place ? $0 : nil }
  }

  /// The fault that is to happen in the content, once so many bytes went through or there are no more.
  func faultInContent(isEnd: Bool) -> LocalCloud.TransferFault? {
    guard let fault, case .afterBytes(let bytes) = fault.place else { return nil }
    return isEnd || state.withLock { $0.byteCount } >= bytes ? fault : nil
  }

  /// Opens a file.
  ///
  /// - Returns: Its number.
  func open(_ file: OpenFile) -> Int {
    state.withLock { state in
      state.files.append(file)
      return state.files.count - 1
    }
  }

  /// The file with a number.
  func file(_ number: Int) -> OpenFile? {
    state.withLock { $0.files.indices.contains(number) ? $0.files[number] : nil }
  }

  /// Puts a file in another state.
  func update(_ number: Int, _ file: OpenFile) {
    state.withLock { $0.files[number] = file }
  }

  /// Counts bytes that went through.
  func passed(_ byteCount: Int64) {
    state.withLock { $0.byteCount += byteCount }
  }

  /// Whether every file that was to be received is there.
  var isComplete: Bool {
    state.withLock { state in
      state.files.allSatisfy { file in
        if case .receiving = file { false } else { true }
      }
    }
  }
}
