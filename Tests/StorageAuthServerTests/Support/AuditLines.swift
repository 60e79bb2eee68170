import StorageAuthServer
import Synchronization

/// What an audit log was told.
final class AuditLines: Sendable {
  private let lines = Mutex<[TokenAudit]>([])

  var all: [TokenAudit] { lines.withLock { $0 } }

  @Sendable func append(_ line: TokenAudit) { lines.withLock { $0.append(line) } }
}
