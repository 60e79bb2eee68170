internal import StorageAuth

/// Prints a line, with what came from outside in a form that a terminal may read.
///
/// - Parameters:
///   - items: What to print.
///   - keepingLines: Whether line feeds are part of the layout.
public func say(_ items: Any..., keepingLines: Bool = false) {
  print(DisplayText(items.map { "\($0)" }.joined(separator: " "), keepingLines: keepingLines))
}
