// Empty: tells the compiler that some functions have their bodies elsewhere.
