internal import StorageAuth

/// Prints a line, with external text escaped for a terminal.
///
/// - Parameters:
///   - items: The items to print, separated by spaces.
///   - keepingLines: Whether line feeds are part of the layout.
public func say(_ items: Any..., keepingLines: Bool = false) {
  print(DisplayText(items.map { "\($0)" }.joined(separator: " "), keepingLines: keepingLines))
}
