/*
 * An ATmega328P of simavr whose serial port is a pseudo terminal: `simavr-board BOOTLOADER.hex LINK`.
 * It has Arduino's bootloader, starts anew whenever somebody opens the terminal, as DTR does on an Uno, and runs at most
 * as fast as the real chip. LINK becomes a link to the terminal when the board is ready. It lives until it is killed.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_hex.h>

#define CLOCK_HZ 16000000
/* Between two looks at the terminal: 0.25 ms of the chip's time. */
#define SLICE_CYCLES 4000
#define MCUSR 0x54
#define EXTERNAL_RESET 0x02

static int terminal;
static int uart_takes = 1;

static void on_byte_out(avr_irq_t *irq, uint32_t value, void *param) {
  uint8_t byte = (uint8_t)value;
  ssize_t written = write(terminal, &byte, 1); /* Nobody listens: it is lost, as on a line. */
  (void)irq, (void)param, (void)written;
}

static void on_room(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)value, (void)param;
  uart_takes = 1;
}

static void on_full(avr_irq_t *irq, uint32_t value, void *param) {
  (void)irq, (void)value, (void)param;
  uart_takes = 0;
}

static void start_anew(avr_t *avr) {
  avr_reset(avr);
  avr->codeend = avr->flashend;
  avr->state = cpu_Running;
  avr->data[MCUSR] = EXTERNAL_RESET; /* The bootloader listens after an external reset only. */
  uart_takes = 1;
}

static void open_terminal(const char *link) {
  char name[128];
  struct termios raw = {0};
  int slave;
  cfmakeraw(&raw);
  if (openpty(&terminal, &slave, name, &raw, NULL) != 0) exit(70);
  close(slave); /* So that the hang-up tells whether somebody has it open. */
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  unlink(link);
  if (symlink(name, link) != 0) exit(71);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  avr_t *avr = avr_make_mcu_by_name("atmega328p");
  uint32_t size = 0, start = 0;
  uint8_t *bootloader = count == 3 ? read_ihex_file(arguments[1], &size, &start) : NULL;
  if (avr == NULL || bootloader == NULL) return 64;
  avr_init(avr);
  avr->frequency = CLOCK_HZ;
  avr->log = LOG_NONE;
  avr->sleep = NULL;
  memset(avr->flash, 0xff, avr->flashend + 1);
  memcpy(avr->flash + start, bootloader, size);
  avr->reset_pc = start;

  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
  flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte_out, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_room, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_full, NULL);

  open_terminal(arguments[2]);
  start_anew(avr);
  uint8_t waiting[4096];
  ssize_t next = 0, held = 0;
  int is_open = 0;
  avr_cycle_count_t look_at = 0, first_cycle = avr->cycle;
  double since = seconds();
  for (;;) {
    if (avr->cycle >= look_at) {
      look_at = avr->cycle + SLICE_CYCLES;
      struct pollfd look = {.fd = terminal, .events = POLLIN};
      poll(&look, 1, 0);
      int was_open = is_open;
      is_open = (look.revents & POLLHUP) == 0;
      if (is_open && !was_open) {
        start_anew(avr);
        next = held = 0;
        first_cycle = avr->cycle;
        look_at = avr->cycle + SLICE_CYCLES;
        since = seconds();
      }
      if ((look.revents & POLLIN) != 0 && next == held) {
        held = read(terminal, waiting, sizeof waiting);
        next = 0;
        if (held < 0) held = 0;
      }
      double ahead = (double)(avr->cycle - first_cycle) / CLOCK_HZ - (seconds() - since);
      if (ahead > 0.002) usleep((useconds_t)(ahead * 1e6));
    }
    while (next < held && uart_takes) avr_raise_irq(input, waiting[next++]);
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) start_anew(avr);
  }
}
