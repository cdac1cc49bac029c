// Empty: tells the compiler that Pin and Unpin have their bodies elsewhere.
