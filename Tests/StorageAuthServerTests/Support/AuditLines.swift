import StorageAuthServer
import Synchronization

/// Records the entries of an audit log.
final class AuditLines: Sendable {
  private let lines = Mutex<[TokenAudit]>([])

  var all: [TokenAudit] { lines.withLock { $0 } }

  @Sendable func append(_ line: TokenAudit) { lines.withLock { $0.append(line) } }
}
