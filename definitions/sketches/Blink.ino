#include <avr/wdt.h>

// Blinks, and counts on the serial line.
void setup() {
  wdt_disable();
  Serial.begin(115200);
  pinMode(LED_BUILTIN, OUTPUT);
  Serial.println(F("blink ready"));
}

void loop() {
  static int n;
  digitalWrite(LED_BUILTIN, n & 1);
  Serial.print(F("tick "));
  Serial.println(n++);
  delay(100);
}
